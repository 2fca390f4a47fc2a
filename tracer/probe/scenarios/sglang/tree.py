"""SGLang's prefix tree: insert, split, match, lock, evict around the lock; a real request twice, the second one hits.

Runs the tree core that this installation chooses (Rust where its extension loads), the Python one, and the older
RadixCache; the engine's pools, allocator and requests are unmodified, on the CPU.
"""

import _sglang_parts as parts
import torch

PATHS = ("publish", "lookup", "evict")
VERSIONS = ">=0.5.23"
SIZE = 48


def run(probe):
    """What PATHS name, on each tree."""
    from sglang.srt.mem_cache.radix_cache import RadixCache

    caches = parts.trees(parts.configure(), SIZE)
    probe.note("tree core chosen by this installation", next(iter(caches)))
    older = RadixCache(parts.parameters(SIZE))
    probe.begin()
    for name, cache in caches.items():
        inserted(probe, name, cache)
        requested(probe, name, cache)
    inserted(probe, "RadixCache", older)


def inserted(probe, name, cache):
    """The tree alone."""
    from sglang.srt.mem_cache.base_prefix_cache import EvictParams

    free = cache.token_to_kv_pool_allocator.available_size
    before = parts.put(cache, range(12))
    shared = parts.put(cache, [*range(8), 100, 101, 102, 103])
    probe.check(before == 0 and shared == 8, f"{name}: the second insert shares the first 8 tokens")
    found = parts.match(cache, [*range(10), 50, 51])
    probe.check(length(found) == 10, f"{name}: the longest prefix is found")
    lock = cache.lock(found.last_device_node)
    sizes = cache.evictable_size(), cache.protected_size()
    probe.check(sizes == (6, 10), f"{name}: the locked path is protected, the rest evictable")
    room = free()
    cache.evict(EvictParams(num_tokens=100))
    kept = length(parts.match(cache, range(12)))
    probe.check(kept == 10 and free() > room, f"{name}: eviction leaves the locked path")
    cache.unlock(lock)
    cache.evict(EvictParams(num_tokens=100))
    probe.check(length(parts.match(cache, range(12))) == 0, f"{name}: after the unlock all can be evicted")


def length(found):
    """How many tokens of a match are on the device."""
    return found.device_prefix_len


def requested(probe, name, cache):
    """Two requests with one prefix, as the scheduler drives them; then room is needed."""
    from sglang.srt.mem_cache.common import checkpoint_kv_cache, evict_from_tree_cache

    prompt = list(range(200, 220))
    first, _ = admit(cache, "a", prompt)
    checkpoint_kv_cache(first, cache)
    probe.check(length(parts.match(cache, prompt)) == 20, f"{name}: what is computed is published while it runs")
    finish(cache, first, [7])
    second, known = admit(cache, "b", [*prompt, 5, 6])
    probe.check(known == 20, f"{name}: the second request finds the prompt of the first")
    evict_from_tree_cache(cache, SIZE)
    probe.check(length(parts.match(cache, prompt)) == 20, f"{name}: what a running request uses is not evicted")
    finish(cache, second, [8])
    probe.check(cache.protected_size() == 0, f"{name}: nothing is protected after both ended")
    evict_from_tree_cache(cache, SIZE)
    probe.check(length(parts.match(cache, prompt)) == 0, f"{name}: then it can be evicted")


def admit(cache, name, prompt):
    """A request as a prefill batch takes it (matched, locked, a row, slots for what is missing), and what it found."""
    from sglang.srt.mem_cache.allocation import alloc_req_slots, alloc_token_slots

    req = parts.request(name, prompt)
    req.init_next_round_input(cache)
    req.lock = cache.lock(req.last_node)
    row = alloc_req_slots(cache.req_to_token_pool, [req], cache)[0]
    known = cache.prefix_device_indices(req)
    slots = alloc_token_slots(cache, len(prompt) - len(known))
    cache.req_to_token_pool.write((row, slice(0, len(known))), known.to(torch.int32))
    cache.req_to_token_pool.write((row, slice(len(known), len(prompt))), slots.to(torch.int32))
    req.extend_end = len(prompt)
    req.kv.kv_committed_len = req.kv.kv_allocated_len = len(prompt)
    return req, len(known)


def finish(cache, req, output):
    """The request's answer is complete: its row goes into the tree, the rest back to the pool."""
    from sglang.srt.managers.schedule_batch import FINISH_LENGTH
    from sglang.srt.mem_cache.common import release_kv_cache

    req.output_ids.extend(output)
    req.finished_reason = FINISH_LENGTH(length=len(output))
    release_kv_cache(req, cache, checkpoint=True)
