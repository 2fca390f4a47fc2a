"""A stand-in for the device's copy engine, behind vLLM's interface for it: copies by a thread, held at a gate.

The engine loads `HeldSpec` as it loads any offloading specification that is not its own (`spec_module_path`). Manager,
scheduler's side and worker's side of the connector are the engine's; only who moves the bytes is ours.
"""

import queue
import sys
import threading

import torch

try:
    from vllm.v1.kv_offload.base import OffloadingWorker, TransferResult
    from vllm.v1.kv_offload.cpu.spec import CPUOffloadingSpec

    JOBS = True  # a worker takes jobs by direction
except ImportError:  # up to 0.11: handlers by media
    from vllm.v1.kv_offload.cpu import CPUOffloadingSpec
    from vllm.v1.kv_offload.mediums import CPULoadStoreSpec, GPULoadStoreSpec
    from vllm.v1.kv_offload.worker.worker import OffloadingHandler

    OffloadingWorker = OffloadingHandler
    JOBS = False

STORES, LOADS = threading.Event(), threading.Event()  # open gates: copies go on
STARTED = []  # (kind, GPU blocks) of every copy that began
ENDED = []  # the same, once its last byte has been written


def mark(name, **data):
    """A line in the recording, where there is one."""
    recorder = sys.modules.get("_tracer_recorder")
    if recorder is not None:
        recorder.mark(name, data)


class Copies:
    """One thread that copies block by block between the device's tensors and host memory."""

    def __init__(self, device, blocks):
        self.device = device  # tensors whose first dimension is the block
        self.host = [torch.zeros((blocks, *t.shape[1:]), dtype=t.dtype) for t in device]
        self.jobs, self.done = queue.Queue(), []
        self.open = set()
        threading.Thread(target=self._loop, name="copies", daemon=True).start()

    def submit(self, job, kind, source, target):
        self.open.add(job)
        self.jobs.put((job, kind, [int(b) for b in source], [int(b) for b in target]))

    def _loop(self):
        while True:
            job, kind, source, target = self.jobs.get()
            blocks = source if kind == "store" else target
            STARTED.append((kind, blocks))
            mark(f"{kind} started", job=job, blocks=blocks)
            for k, (a, b) in enumerate(zip(source, target, strict=True)):
                if k:  # the gate is in the middle: a copy that is held has written some of its bytes
                    (STORES if kind == "store" else LOADS).wait()
                for device, host in zip(self.device, self.host, strict=True):
                    if kind == "store":
                        host[b] = device[a]
                    else:
                        device[b] = host[a]
            if len(source) == 1:
                (STORES if kind == "store" else LOADS).wait()
            mark(f"{kind} ended", job=job, blocks=blocks)
            ENDED.append((kind, blocks))
            self.done.append(job)

    def finished(self):
        done, self.done = self.done, []
        self.open -= set(done)
        return done


class CopyWorker(OffloadingWorker):
    """The engine's worker interface over `Copies`."""

    def __init__(self, copies):
        self.copies = copies

    def submit_store(self, job_id, src_spec, dst_spec):
        self.copies.submit(job_id, "store", src_spec.block_ids, dst_spec.block_ids)
        return True

    def submit_load(self, job_id, src_spec, dst_spec, expedited=False):  # noqa: ARG002 (as the engine calls it)
        self.copies.submit(job_id, "load", src_spec.block_ids, dst_spec.block_ids)
        return True

    def transfer_async(self, job_id, spec):
        source, target = spec
        kind = "store" if type(source).__name__.startswith("GPU") else "load"
        self.copies.submit(job_id, kind, source.block_ids, target.block_ids)
        return True

    def get_finished(self):
        done = self.copies.finished()
        return [TransferResult(job, True) for job in done] if JOBS else [(job, True) for job in done]

    def wait(self, job_ids):
        while set(job_ids) & self.copies.open - set(self.copies.done):
            threading.Event().wait(0.001)


class HeldSpec(CPUOffloadingSpec):
    """The engine's specification of the CPU tier, with `CopyWorker` to move the bytes."""

    def get_worker(self, kv_caches):
        room = getattr(self, "num_chunks", 0) or self.num_blocks  # 0.25 calls them blocks
        return CopyWorker(Copies([t.tensor for t in kv_caches.tensors], room))

    def get_handlers(self, kv_caches, *_):
        worker = CopyWorker(Copies(list(kv_caches.values()), self.num_cpu_blocks))
        yield GPULoadStoreSpec, CPULoadStoreSpec, worker
        yield CPULoadStoreSpec, GPULoadStoreSpec, worker
