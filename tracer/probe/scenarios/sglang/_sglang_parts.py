"""What SGLang's scenarios share: pools and a tree made as the scheduler makes them, keys, requests.

Runs in the engine's interpreter.
"""

from array import array

import torch


def configure(**fields):
    """A published configuration of one rank, as the engine's own tests make it; the server's arguments."""
    from sglang.srt.runtime_context import get_context, get_parallel

    arguments = get_context().override_server_args(model_path="dummy", page_size=1, device="cpu", **fields).install()
    get_parallel().override_permanently(tp_rank=0, tp_size=1, pp_rank=0, pp_size=1, attn_dcp_rank=0)
    return arguments


class Worker:
    """Stands for the model's worker, which the tree's factory tells of its counter of loaded layers."""

    def register_hicache_layer_transfer_counter(self, counter):
        """Keep it."""
        self.counter = counter


def trees(arguments, size, hierarchical=False):
    """{core: tree} for the core that this installation chooses, which comes first, and for the Python one."""
    chosen, first = tree(arguments, size, None, hierarchical)
    found = {chosen: first}
    if chosen != "python":
        found["python"] = tree(arguments, size, "python", hierarchical)[1]
    return found


def parameters(size, backend=None):
    """Pools of `size` tokens on the CPU, and what a cache is made of."""
    from sglang.srt.mem_cache.allocator import TokenToKVPoolAllocator
    from sglang.srt.mem_cache.cache_init_params import CacheInitParams
    from sglang.srt.mem_cache.memory_pool import MHATokenToKVPool, ReqToTokenPool

    pool = MHATokenToKVPool(
        size=size,
        page_size=1,
        dtype=torch.float32,
        head_num=2,
        head_dim=8,
        layer_num=2,
        device="cpu",
        enable_memory_saver=False,
    )
    return CacheInitParams(
        disable=False,
        req_to_token_pool=ReqToTokenPool(8, 64, "cpu", False),
        page_size=1,
        token_to_kv_pool_allocator=TokenToKVPoolAllocator(size, torch.float32, "cpu", pool, need_sort=False),
        enable_kv_cache_events=True,
        tree_core_backend=backend,
    )


def tree(arguments, size, backend, hierarchical):
    """(the core's name, the tree) over fresh pools; with `backend` another core than the default."""
    from sglang.srt.mem_cache.registry import TreeCacheBuildContext, default_radix_cache_factory

    context = TreeCacheBuildContext(
        server_args=arguments,
        params=parameters(size, backend),
        is_hybrid_swa=False,
        is_hybrid_ssm=False,
        enable_hierarchical_cache=hierarchical,
        disable_radix_cache=False,
        tp_worker=Worker(),
        model_config=None,
        tp_size=1,
        tp_rank=0,
        tp_group=None,
    )
    cache = default_radix_cache_factory(context)
    return cache._tree_core_backend, cache


def key(tokens):
    """What the tree is asked by."""
    from sglang.srt.mem_cache.radix_cache import RadixKey

    return RadixKey(array("q", tokens))


def match(cache, tokens):
    """The longest prefix that is cached."""
    from sglang.srt.mem_cache.base_prefix_cache import MatchPrefixParams

    return cache.match_prefix(MatchPrefixParams(key=key(tokens)))


def put(cache, tokens, slots=None):
    """Insert `tokens`, with slots of their own; how much of them was there before."""
    from sglang.srt.mem_cache.base_prefix_cache import InsertParams

    taken = cache.token_to_kv_pool_allocator.alloc(len(tokens)) if slots is None else slots
    return cache.insert(InsertParams(key=key(tokens), value=taken.to(torch.int64))).prefix_len


def request(name, prompt):
    """A request of the engine's own class."""
    from sglang.srt.managers.schedule_batch import Req
    from sglang.srt.sampling.sampling_params import SamplingParams

    return Req(name, "", array("q", prompt), SamplingParams(max_new_tokens=1))
