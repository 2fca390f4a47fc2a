"""SGLang's prefix tree: insert, split, match, lock, evict around the lock; a real request twice, the second one hits.

Runs the tree core that this installation chooses (Rust where its extension loads) and then the Python one, with the
engine's pools, allocator and requests unmodified on the CPU.
"""

from __future__ import annotations

from array import array

import torch

PATHS = ("publish", "lookup", "evict")
VERSIONS = ">=0.5.23"
SIZE = 48


def run(probe):
    """What PATHS name, on each tree core."""
    from sglang.srt.runtime_context import get_context, get_parallel

    arguments = get_context().override_server_args(model_path="dummy", page_size=1, device="cpu").install()
    get_parallel().override_permanently(tp_rank=0, tp_size=1, pp_rank=0, pp_size=1)
    chosen, first = build(arguments, None)
    probe.note("tree core chosen by this installation", chosen)
    caches = {chosen: first}
    if chosen != "python":
        caches["python"] = build(arguments, "python")[1]
    probe.begin()
    for name, cache in caches.items():
        inserted(probe, name, cache)
        requested(probe, name, cache)


def build(arguments, backend):
    """A tree over fresh pools; with `backend` another core than the default."""
    from sglang.srt.mem_cache.allocator import TokenToKVPoolAllocator
    from sglang.srt.mem_cache.cache_init_params import CacheInitParams
    from sglang.srt.mem_cache.memory_pool import MHATokenToKVPool, ReqToTokenPool
    from sglang.srt.mem_cache.registry import TreeCacheBuildContext, default_radix_cache_factory

    pool = MHATokenToKVPool(
        size=SIZE, page_size=1, dtype=torch.float32, head_num=2, head_dim=8, layer_num=2, device="cpu",
        enable_memory_saver=False,
    )
    params = CacheInitParams(
        disable=False, req_to_token_pool=ReqToTokenPool(8, 64, "cpu", False), page_size=1,
        token_to_kv_pool_allocator=TokenToKVPoolAllocator(SIZE, torch.float32, "cpu", pool, need_sort=False),
        tree_core_backend=backend,
    )
    context = TreeCacheBuildContext(
        server_args=arguments, params=params, is_hybrid_swa=False, is_hybrid_ssm=False,
        enable_hierarchical_cache=False, disable_radix_cache=False, tp_worker=None, model_config=None,
        tp_size=1, tp_rank=0, tp_group=None,
    )
    cache = default_radix_cache_factory(context)
    return getattr(cache, "_tree_core_backend", "python"), cache


def key(tokens):
    from sglang.srt.mem_cache.radix_cache import RadixKey

    return RadixKey(array("q", tokens))


def put(cache, tokens):
    """Insert `tokens` with slots of their own; how much was there before."""
    from sglang.srt.mem_cache.base_prefix_cache import InsertParams

    slots = cache.token_to_kv_pool_allocator.alloc(len(tokens)).to(torch.int64)
    return cache.insert(InsertParams(key=key(tokens), value=slots)).prefix_len


def match(cache, tokens):
    from sglang.srt.mem_cache.base_prefix_cache import MatchPrefixParams

    return cache.match_prefix(MatchPrefixParams(key=key(tokens)))


def inserted(probe, name, cache):
    """The tree alone."""
    from sglang.srt.mem_cache.base_prefix_cache import EvictParams

    free = cache.token_to_kv_pool_allocator.available_size
    before = put(cache, range(12))
    shared = put(cache, [*range(8), 100, 101, 102, 103])
    probe.check(before == 0 and shared == 8, f"{name}: the second insert shares the first 8 tokens")
    found = match(cache, [*range(10), 50, 51])
    probe.check(found.device_prefix_len == 10, f"{name}: the longest prefix is found")
    lock = cache.lock(found.last_device_node)
    free_now, protected = cache.evictable_size(), cache.protected_size()
    probe.check((free_now, protected) == (6, 10), f"{name}: the locked path is protected, the rest evictable")
    room = free()
    cache.evict(EvictParams(num_tokens=100))
    kept = match(cache, range(12)).device_prefix_len
    probe.check(kept == 10 and free() > room, f"{name}: eviction leaves the locked path")
    cache.unlock(lock)
    cache.evict(EvictParams(num_tokens=100))
    left = match(cache, range(12)).device_prefix_len
    probe.check(left == 0 and free() == SIZE, f"{name}: after the unlock all can be evicted")


def requested(probe, name, cache):
    """Two requests with one prefix, as the scheduler drives them, and a third that needs what is cached."""
    from sglang.srt.mem_cache.common import evict_from_tree_cache

    prompt = list(range(200, 220))
    first = admit(cache, "a", prompt)
    checkpoint(cache, first)
    probe.check(first.prefix_len == len(prompt), f"{name}: what is computed is published while the request runs")
    finish(cache, first, [7])
    second = admit(cache, "b", [*prompt, 5, 6])
    probe.check(second.matched == 20, f"{name}: the second request finds the prompt of the first")
    evict_from_tree_cache(cache, SIZE)
    probe.check(match(cache, prompt).device_prefix_len == 20, f"{name}: what a running request uses is not evicted")
    finish(cache, second, [8])
    probe.check(cache.protected_size() == 0, f"{name}: nothing is protected after both ended")
    evict_from_tree_cache(cache, SIZE)
    probe.check(match(cache, prompt).device_prefix_len == 0, f"{name}: then it can be evicted")


def admit(cache, name, prompt):
    """A request as a prefill batch takes it: matched, locked, a row and slots for what is missing."""
    from sglang.srt.managers.schedule_batch import Req
    from sglang.srt.mem_cache.allocation import alloc_req_slots, alloc_token_slots
    from sglang.srt.sampling.sampling_params import SamplingParams

    req = Req(name, "", array("q", prompt), SamplingParams(max_new_tokens=1))
    req.init_next_round_input(cache)
    req.lock = cache.lock(req.last_node)
    req.matched = req.prefix_len
    row = alloc_req_slots(cache.req_to_token_pool, [req], cache)[0]
    known = cache.prefix_device_indices(req)
    slots = alloc_token_slots(cache, len(prompt) - len(known))
    cache.req_to_token_pool.write((row, slice(0, len(known))), known.to(torch.int32))
    cache.req_to_token_pool.write((row, slice(len(known), len(prompt))), slots.to(torch.int32))
    req.extend_end = len(prompt)
    req.kv.kv_committed_len = req.kv.kv_allocated_len = len(prompt)
    return req


def checkpoint(cache, req):
    from sglang.srt.mem_cache.common import checkpoint_kv_cache

    checkpoint_kv_cache(req, cache)


def finish(cache, req, output):
    """The request's answer is complete: its row goes into the tree, the rest back to the pool."""
    from sglang.srt.managers.schedule_batch import FINISH_LENGTH
    from sglang.srt.mem_cache.common import release_kv_cache

    req.output_ids.extend(output)
    req.finished_reason = FINISH_LENGTH(length=len(output))
    release_kv_cache(req, cache, checkpoint=True)
