"""What the vLLM scenarios share: a scheduler made of the engine's own classes, and a stand-in for the model's answer.

Only the model is stood in for (`answer` says which tokens were sampled). Scheduler, block pool, hashes and connectors
are the engine's own, made from a configuration as the engine makes it.
"""

import dataclasses
import inspect
import json
import socket

import torch
from vllm import SamplingParams
from vllm.config import CacheConfig, DeviceConfig, ModelConfig, SchedulerConfig, VllmConfig
from vllm.v1.core import kv_cache_utils
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec, KVCacheTensor
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.request import Request
from vllm.v1.structured_output import StructuredOutputManager

BLOCK = 16  # tokens a block
LAYERS = ("model.layers.0.self_attn.attn",)
HEADS, SIZE = 2, 16

TINY = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": HEADS,
    "head_dim": SIZE,
    "num_hidden_layers": len(LAYERS),
    "vocab_size": 1000,
    "max_position_embeddings": 2048,
    "torch_dtype": "float32",
    "rms_norm_eps": 1e-5,
}


def fitting(function, values):
    """Those of `values` that `function` (or a dataclass) takes in this version."""
    known = set(inspect.signature(function).parameters)
    if dataclasses.is_dataclass(function):  # its signature also has what is only for construction
        known |= {f.name for f in dataclasses.fields(function)}
    return {k: v for k, v in values.items() if k in known}


def configure(folder, blocks, connector=None, budget=512, **scheduling):
    """The engine's configuration for a tiny Llama with `blocks` blocks; `connector` a KVTransferConfig."""
    place = folder / "model"
    place.mkdir(exist_ok=True)
    (place / "config.json").write_text(json.dumps(TINY))
    longest = min((blocks - 1) * BLOCK, TINY["max_position_embeddings"])
    model = ModelConfig(
        model=str(place), tokenizer=str(place), skip_tokenizer_init=True, dtype="float32", seed=0, max_model_len=longest
    )
    cache = CacheConfig(block_size=BLOCK, enable_prefix_caching=True, gpu_memory_utilization=0.5)
    wanted = {
        "max_num_seqs": 8,
        "max_num_batched_tokens": budget,
        "max_model_len": longest,
        "enable_chunked_prefill": True,
        "is_encoder_decoder": False,
        "async_scheduling": False,
        **scheduling,
    }
    config = VllmConfig(
        model_config=model,
        cache_config=cache,
        scheduler_config=SchedulerConfig(**fitting(SchedulerConfig, wanted)),
        device_config=DeviceConfig("cpu"),
        kv_transfer_config=connector,
    )
    if str(getattr(config.scheduler_config, "scheduler_cls", "")).startswith("vllm.core."):
        config.scheduler_config.scheduler_cls = Scheduler  # as the command line of older versions sets it
    config.cache_config.num_gpu_blocks = blocks
    return config


def spec():
    """What one layer of the tiny model keeps for a block."""
    values = {"block_size": BLOCK, "num_kv_heads": HEADS, "head_size": SIZE, "dtype": torch.float32, "use_mla": False}
    return FullAttentionSpec(**fitting(FullAttentionSpec, values))


def layout(blocks):
    """How the KV cache of the tiny model is laid out."""
    one = spec()
    size = one.page_size_bytes * blocks
    names = {"size": size, "shared_by": list(LAYERS), "layers": list(LAYERS), "layer_names": list(LAYERS)}
    names |= {"offset": 0, "layer_stride": size, "block_stride": one.page_size_bytes}
    tensors = [KVCacheTensor(**fitting(KVCacheTensor, names))]
    return KVCacheConfig(
        num_blocks=blocks, kv_cache_tensors=tensors, kv_cache_groups=[KVCacheGroupSpec(list(LAYERS), one)]
    )


def scheduler(config, blocks, kind=Scheduler):
    """The engine's scheduler, with the KV cache manager and block pool that it makes."""
    values = {
        "vllm_config": config,
        "kv_cache_config": layout(blocks),
        "structured_output_manager": StructuredOutputManager(config),
        "block_size": BLOCK,
        "hash_block_size": BLOCK,
        "log_stats": True,
    }
    return kind(**fitting(kind, values))


def hasher(config):
    """The function that gives requests their block hashes, as the engine core makes it."""
    named = config.cache_config.prefix_caching_hash_algo
    try:
        from vllm.utils.hashing import get_hash_fn_by_name
    except ImportError:
        from vllm.utils import get_hash_fn_by_name
    function = get_hash_fn_by_name(named)
    kv_cache_utils.init_none_hash(function)
    return kv_cache_utils.get_request_block_hasher(BLOCK, function)


def sampling(most):
    """For `most` tokens, the likeliest each."""
    params = SamplingParams(max_tokens=most, ignore_eos=True, temperature=0.0)
    complete = getattr(params, "update_from_generation_config", None)
    if complete is not None:
        complete({})
    return params


def request(name, tokens, hashed, most=4):
    """A request for `most` new tokens after `tokens`."""
    params = sampling(most)
    values = {
        "request_id": name,
        "prompt_token_ids": list(tokens),
        "sampling_params": params,
        "pooling_params": None,
        "eos_token_id": None,
        "block_hasher": hashed,
    }
    return Request(**fitting(Request, values))


def answer(planned, token=7, connector=None):
    """What a model runner would answer to a scheduler's plan: one token for each request whose prompt is done."""
    names = list(planned.num_scheduled_tokens)
    values = {
        "req_ids": names,
        "req_id_to_index": {name: k for k, name in enumerate(names)},
        "sampled_token_ids": [[token] for _ in names],
        "logprobs": None,
        "prompt_logprobs_dict": {},
        "pooler_output": [None for _ in names],
        "kv_connector_output": connector,
    }
    return ModelRunnerOutput(**values)


def step(engine, connector=None):
    """One step of the engine: plan, answer, take the answer in; the plan is given back."""
    planned = engine.schedule()
    engine.update_from_output(planned, answer(planned, connector=connector))
    return planned


def finish(engine, names, most=64):
    """Step until the requests called `names` are gone."""
    for _ in range(most):
        if not any(name in engine.requests for name in names):
            return True
        step(engine)
    return False


def held(engine, name):
    """The blocks of a request."""
    return list(engine.kv_cache_manager.get_blocks(name).blocks[0])


def published(engine):
    """How many blocks are found under a hash."""
    found = engine.kv_cache_manager.block_pool.cached_block_hash_to_block
    return len(getattr(found, "_cache", found))


def references(engine):
    """The sum of all reference counts, without the null block's."""
    pool = engine.kv_cache_manager.block_pool
    return sum(b.ref_cnt for b in pool.blocks if not b.is_null)


def one_rank(config):
    """The process groups that a worker makes first, for one rank on this machine; versions differ in wanting them."""
    from vllm.config import set_current_vllm_config
    from vllm.distributed import parallel_state

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with set_current_vllm_config(config):
        parallel_state.init_distributed_environment(1, 0, f"tcp://127.0.0.1:{port}", 0, "gloo")
        parallel_state.initialize_model_parallel(1, 1)


def start_transfer(config, layout):
    """The worker's side of the connector, made by the engine's own function."""
    from vllm.distributed.kv_transfer import ensure_kv_transfer_initialized

    count = len(inspect.signature(ensure_kv_transfer_initialized).parameters)
    ensure_kv_transfer_initialized(*(config, layout)[:count])
