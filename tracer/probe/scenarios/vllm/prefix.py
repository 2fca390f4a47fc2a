"""Prefix cache of one scheduler: full blocks are published, shared, freed, evicted; the cache is reset."""

import _vllm_parts as parts

PATHS = ("publish", "lookup", "evict")
VERSIONS = ">=0.11"


def run(probe):
    """Three requests over sixteen blocks."""
    blocks = 16
    config = parts.configure(probe.folder, blocks)
    engine = parts.scheduler(config, blocks)
    hashed = parts.hasher(config)
    shared = list(range(100, 148))
    first = parts.request("first", [*shared, 1, 2, 3, 4], hashed)
    second = parts.request("second", [*shared, 9, 8, 7, 6], hashed)
    long = parts.request("long", range(300, 300 + 13 * parts.BLOCK), hashed)
    probe.note("stood in for", "the model's answer (sampled tokens)")
    probe.begin()

    engine.add_request(first)
    parts.step(engine)
    blocks_first = parts.held(engine, "first")
    probe.check(
        [b.block_hash is not None for b in blocks_first] == [True] * 3 + [False], "three full blocks are published"
    )
    probe.check(parts.published(engine) == 3, "the index holds them and no more")

    engine.add_request(second)
    planned = parts.step(engine)
    probe.check(
        planned.num_scheduled_tokens["second"] == 4, "of the second request only what is not cached is computed"
    )
    blocks_second = parts.held(engine, "second")
    probe.check(blocks_second[:3] == blocks_first[:3], "it holds the same three blocks")
    probe.check([b.ref_cnt for b in blocks_first[:3]] == [2, 2, 2], "each of them is held twice")

    probe.check(parts.finish(engine, ["first", "second"]), "both requests end")
    probe.check(parts.references(engine) == 0, "nothing is held any more")
    probe.check(parts.published(engine) >= 3, "freed blocks can still be found")

    before = {id(b) for b in blocks_first[:3]}
    engine.add_request(long)
    parts.step(engine)
    taken = [b for b in parts.held(engine, "long") if id(b) in before]
    probe.check(taken, "a long request is given blocks that were cached")
    again = parts.request("again", [*shared, 5], hashed)
    found = engine.kv_cache_manager.get_computed_blocks(again)[1]
    probe.check(found < 48, "what was evicted is not found any more")
    engine.finish_requests("long", _aborted())
    parts.step(engine)
    probe.check(parts.references(engine) == 0, "an aborted request leaves nothing held")
    probe.check(engine.reset_prefix_cache(), "the cache can be reset when nothing is held")
    probe.check(parts.published(engine) == 0, "after the reset nothing can be found")


def _aborted():
    from vllm.v1.request import RequestStatus

    return RequestStatus.FINISHED_ABORTED
