"""The offloading worker copies blocks to the host and back on its own streams; completion is polled by events."""

import time

PATHS = ()
VERSIONS = ">=0.33"
NEEDS = ("cuda",)
PAGE = 256 << 10
BLOCKS = 4096  # 1 GiB: long enough that a poll finds the copy running


def run(probe):
    """Store, load into other blocks, compare; then store what a busy stream has not written yet."""
    import _gpu_parts as parts

    torch = parts.prepare(probe)
    from vllm.v1.kv_offload.cpu.gpu_worker import CPUOffloadingWorker

    half = BLOCKS // 2
    gpu = torch.randint(-128, 127, (BLOCKS, PAGE), dtype=torch.int8, device="cuda")
    worker = CPUOffloadingWorker(parts.caches(gpu, PAGE), blocks_per_chunk=1, num_cpu_chunks=half)
    torch.cuda.synchronize()
    first, second, chunks = list(range(half)), list(range(half, BLOCKS)), list(range(half))
    probe.begin()

    def transfer(job, name, submit):
        probe.mark("transfer", job=name, stage="submit")
        probe.check(submit(), f"{name} is accepted")
        empty, until = 0, time.monotonic() + 60
        while time.monotonic() < until:
            done = [r for r in worker.get_finished() if r.job_id == job]
            if done:
                break
            empty += 1
        probe.mark("transfer", job=name, stage="reported")
        probe.check(done and done[0].success, f"{name} is reported finished")
        probe.note(f"{name}: polls that found it running", empty)
        probe.note(f"{name}: seconds by its events", done[0].transfer_time)
        probe.mark("transfer", job=name, stage="published")  # the scheduler's part: from here on readers may have it
        return empty

    device, host = parts.ends(first, chunks)
    running = transfer(1, "store", lambda: worker.submit_store(1, device, host))
    probe.check(running > 0, "at least one poll found the store running: its end was not taken for granted")
    gpu[half:].zero_()
    device, host = parts.ends(second, chunks)
    transfer(2, "load", lambda: worker.submit_load(2, host, device))
    probe.check(torch.equal(gpu[:half], gpu[half:]), "what was loaded is what was stored")

    # the blocks are written by a stream that is still busy when the store is submitted: the store must wait for it
    torch.cuda._sleep(400_000_000)
    gpu[:half].fill_(3)
    device, host = parts.ends(first, chunks)
    transfer(3, "store behind a busy stream", lambda: worker.submit_store(3, device, host))
    device, host = parts.ends(second, chunks)
    transfer(4, "load of it", lambda: worker.submit_load(4, host, device))
    probe.check(bool((gpu[half:] == 3).all()), "the store waited for the stream that wrote its source")
    probe.end()
    worker.shutdown()
