"""Host tier of one engine: blocks are stored, found again after a reset, loaded while the request waits, used."""

import _vllm_copy as copy
import _vllm_offload as offload
import _vllm_parts as parts
from vllm.v1.request import RequestStatus

PATHS = ("store", "vllm.load.offloading")
VERSIONS = ">=0.11"


def run(probe):
    """A request stores its prompt; after the device's cache was reset the same prompt comes back from the host."""
    engine = offload.Engine(probe, 16)
    scheduler = engine.scheduler
    prompt = list(range(100, 148))
    probe.begin()

    engine.add("first", [*prompt, 1, 2, 3, 4])
    probe.check(engine.until(lambda: engine.gone("first")), "the first request ends")
    probe.check(engine.until(lambda: len(copy.ENDED) > 0, 20), "its blocks are copied to the host")
    for _ in range(3):
        engine.step()  # the worker's report reaches the scheduler
    probe.check(parts.references(scheduler) == 0, "nothing is held on the device")
    probe.check(scheduler.kv_cache_manager.reset_prefix_cache(), "the device's cache is reset")
    probe.check(parts.published(scheduler) == 0, "the device finds nothing any more")
    engine.cache.zero_()

    second = engine.add("second", [*prompt, 5, 6, 7, 8])
    engine.step()
    probe.check(second.status == RequestStatus.WAITING_FOR_REMOTE_KVS, "the second request waits for its load")
    blocks = [b.block_id for b in parts.held(scheduler, "second")]
    probe.check(blocks, "blocks are set apart for the load")
    for _ in range(3):
        engine.step()
    probe.check(second.status == RequestStatus.WAITING_FOR_REMOTE_KVS, "it waits as long as the copy is held")
    copy.LOADS.set()
    probe.check(engine.until(lambda: second.status == RequestStatus.RUNNING, 50), "when the copy has ended it runs")
    probe.check(second.num_computed_tokens >= 48, "what was loaded is not computed again")
    loaded = [float(engine.cache[b].mean()) for b in blocks[:3]]
    probe.check(loaded == [float(prompt[k * parts.BLOCK]) for k in range(3)], "the bytes are those that were stored")
    probe.check(engine.until(lambda: engine.gone("second")), "the second request ends")
    for _ in range(3):
        engine.step()
    probe.check(parts.references(scheduler) == 0, "nothing is held any more")
