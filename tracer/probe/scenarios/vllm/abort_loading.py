"""Abort while loading: are a request's blocks kept from others until the copy into them has ended?"""

import _vllm_copy as copy
import _vllm_offload as offload
import _vllm_parts as parts
from vllm.v1.request import RequestStatus

PATHS = ("abort-while-loading",)
VERSIONS = ">=0.11"


def run(probe):
    """A request is aborted in the middle of its load; another then asks for every block that there is."""
    engine = offload.Engine(probe, 12)
    scheduler = engine.scheduler
    pool = scheduler.kv_cache_manager.block_pool
    prompt = list(range(100, 148))
    probe.begin()

    engine.add("first", [*prompt, 1, 2, 3, 4])
    stored = engine.until(lambda: engine.gone("first") and len(copy.ENDED) > 0)
    probe.check(stored, "a prompt is stored in the host tier")
    for _ in range(3):
        engine.step()
    scheduler.kv_cache_manager.reset_prefix_cache()
    free = pool.get_num_free_blocks()

    loading = engine.add("loading", [*prompt, 5, 6, 7, 8])
    engine.step()
    probe.check(loading.status == RequestStatus.WAITING_FOR_REMOTE_KVS, "a second request with that prompt is loading")
    probe.check(offload_started(), "its copy has begun")
    target = {int(b) for kind, blocks in copy.STARTED if kind == "load" for b in blocks}
    engine.client.abort_requests(["loading"])
    probe.mark("aborted", blocks=sorted(target))
    free_after_abort = pool.get_num_free_blocks()

    engine.add("hungry", range(300, 300 + 16 * 9 - 4), most=2)
    for _ in range(4):
        engine.step()
    took = {b.block_id for b in parts.held(scheduler, "hungry")} if "hungry" in scheduler.requests else set()
    taken = sorted(took & target)
    probe.mark("another request holds", blocks=sorted(took), of_the_load=taken)
    running = not any(kind == "load" for kind, _ in copy.ENDED)
    probe.check(running, "all this happens while the copy is still held")
    probe.note("blocks given to another request before the copy into them ended", taken)
    probe.note("free blocks before, after the abort", [free, free_after_abort])
    if probe.release >= (0, 12):
        probe.check(not taken, "no block of the aborted load is given to another request")
        probe.check(free_after_abort < free, "its blocks are not free yet")
    else:
        probe.check(free_after_abort == free, "FINDING: the blocks of the aborted load are free at once")
        probe.check(taken, "FINDING: another request is given them while the copy still writes into them")

    copy.LOADS.set()
    probe.check(engine.until(lambda: any(kind == "load" for kind, _ in copy.ENDED), 50), "the copy ends")
    if "hungry" in scheduler.requests:
        engine.client.abort_requests(["hungry"])
    if probe.release >= (0, 12):
        probe.check(engine.until(lambda: engine.gone("loading"), 50), "then its blocks are freed")
        for _ in range(3):
            engine.step()
        probe.check(pool.get_num_free_blocks() == free, "all blocks are free again")
        probe.check(parts.references(scheduler) == 0, "nothing is held any more")


def offload_started():
    """The copy thread has taken the load up."""
    import time

    for _ in range(200):
        if any(kind == "load" for kind, _ in copy.STARTED):
            return True
        time.sleep(0.005)
    return False
