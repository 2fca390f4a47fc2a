"""LMCache's server and both vLLM adapters over ZeroMQ on loopback: look up, store, load, give up; bytes compared.

In three ways: the worker copies through messages, the worker copies through shared memory, the server copies.
"""

from __future__ import annotations

import _lmcache_parts as parts
import torch
import zmq

PATHS = ("store stack=mp", "load stack=mp", "lookup stack=mp", "owner-death stack=mp")
VERSIONS = ">=0.5"
CHUNK, BLOCK, BLOCKS, LAYERS, HEADS, WIDTH = 16, 8, 32, 2, 2, 8
TOKENS = 32


def run(probe):
    """Each way of copying with a server of its own."""
    probe.begin()
    for way, mode, shared in (
        ("messages", "engine_driven", False),
        ("shared memory", "engine_driven", True),
        ("server", "lmcache_driven", False),
    ):
        stack = Stack(mode, probe.folder / way, shared)
        try:
            round_trip(probe, way, stack)
            if way == "shared memory":
                owner_dies(probe, stack)
            if way == "server":
                unknown_worker(probe, stack)
        finally:
            stack.close()


class Stack:
    """A server in this process with files as its L2, and a scheduler's and a worker's adapter connected to it."""

    def __init__(self, mode, folder, shared):
        from lmcache.integration.vllm.vllm_multi_process_adapter import (
            LMCacheMPSchedulerAdapter,
            LMCacheMPWorkerAdapter,
            ParallelStrategy,
        )

        self.server, self.engine, port = parts.serve(folder, mode, CHUNK, shared)
        extra = {
            "lmcache.mp.mq_timeout": 60.0,
            "lmcache.mp.heartbeat_interval": 1.0,
            "lmcache.mp.mp_transfer_mode": mode,
        }
        url, strategy = f"tcp://127.0.0.1:{port}", ParallelStrategy(False, 1, 0, 1, 1, 1)
        self.scheduler = LMCacheMPSchedulerAdapter([url], zmq.Context(), "tiny", BLOCK, strategy, extra_config=extra)
        self.new_worker = lambda: LMCacheMPWorkerAdapter(
            url, zmq.Context(), "tiny", BLOCK, strategy, extra_config=extra
        )
        self.worker = self.new_worker()
        self.layers = {f"layer.{n}": torch.rand(2, BLOCKS, BLOCK, HEADS, WIDTH) for n in range(LAYERS)}

    def register(self):
        """Tell the server of the worker's buffers."""
        from lmcache.v1.multiprocess.group_view import EngineGroupInfo

        group = EngineGroupInfo(0, tuple(range(LAYERS)), tokens_per_block=BLOCK)
        self.worker.register_kv_caches(self.layers, [group], layout_hints={"kv_layout": "NHD"})

    def look_up(self, name, tokens):
        """How many tokens the server has, asked as the scheduler asks: submit, then poll."""
        self.scheduler.maybe_submit_lookup_request(name, tokens)
        found = []
        parts.until(lambda: found.append(self.scheduler.check_lookup_result(name)) or found[-1] is not None)
        return found[-1]

    def finished(self, which, name, ended=()):
        """Poll as the worker does until the request is reported: 0 stores, 1 loads."""
        got = set()

        def poll():
            got.update(self.worker.get_finished(set(ended))[which] or ())
            return name in got

        return parts.until(poll)

    def end(self, name):
        """The scheduler forgets the request."""
        self.scheduler.cleanup_lookup_result(name)
        self.scheduler.end_session(name)

    def close(self):
        """Everything ends."""
        self.worker.shutdown()
        self.scheduler.shutdown()
        self.server.close()
        self.engine.close()

    def module(self, name):
        """One of the server's parts, by its class."""
        return next(m for m in self.engine._modules if type(m).__name__ == name)


def operation(tokens, blocks):
    """What the scheduler tells the worker to store or load."""
    from lmcache.integration.vllm.vllm_multi_process_adapter import LoadStoreOp

    return LoadStoreOp(tokens, [blocks], 0, TOKENS)


def round_trip(probe, way, stack):
    """Store from some blocks, load into others."""
    stack.register()
    tokens, source, target = list(range(TOKENS)), [0, 1, 2, 3], [10, 11, 12, 13]
    worker = stack.worker
    probe.check(stack.look_up("r1", tokens) == 0, f"{way}: nothing is found before the store")
    wanted = {n: t[:, source].clone() for n, t in stack.layers.items()}
    worker.batched_submit_store_requests(["r1"], [operation(tokens, source)], worker.create_recorded_event())
    probe.check(stack.finished(0, "r1", ["r1"]), f"{way}: the store is reported as finished")
    stack.end("r1")
    probe.check(stack.look_up("r2", tokens) == TOKENS, f"{way}: another request finds all of it")
    worker.batched_submit_retrieve_requests(["r2"], [operation(tokens, target)], worker.create_recorded_event())
    probe.check(stack.finished(1, "r2"), f"{way}: the load is reported as finished")
    same = all(torch.equal(stack.layers[n][:, target], w) for n, w in wanted.items())
    probe.check(same, f"{way}: other blocks hold the same bytes")
    stack.end("r2")
    probe.check(stack.look_up("r3", tokens) == TOKENS, f"{way}: a third request finds it")
    stack.scheduler.free_lookup_locks(tokens, 0, TOKENS, "r3")
    stack.end("r3")
    manager = stack.engine.storage_manager

    def empty():
        return stack.scheduler.reset_cache() and manager.get_l1_usage()[0] == 0

    probe.check(parts.until(empty), f"{way}: given up before it loads, its holds are given back")


def owner_dies(probe, stack):
    """A worker reserves, dies before it wrote, and is reaped."""
    tokens = list(range(5000, 5000 + TOKENS))
    worker = stack.worker
    op = operation(tokens, [0, 1, 2, 3])
    key = worker._create_key(op.token_ids, op.start, op.end, request_id="dead")
    worker.transfer_ctx.engine_driven_context.prepare_store(key, worker.instance_id)
    probe.check(stack.look_up("r4", tokens) == 0, "what a worker reserved is invisible to others")
    stack.end("r4")
    worker._heartbeat.stop()
    module = stack.module("EngineDrivenTransferModule")
    probe.note("called for the reaper's thread", "reap_stale_instances, with no patience; the server's is 30 s or more")
    reaped = parts.until(lambda: module.reap_stale_instances(0.05, 0.05))
    probe.check(reaped, "the silent worker is reaped")
    stack.worker.transfer_ctx.close()
    stack.worker = stack.new_worker()
    stack.register()
    found = stack.look_up("r5", tokens)
    stack.end("r5")
    probe.mark("after the reaping", found=found)
    probe.note(
        "Q8 after the writer's death",
        f"{found} of {TOKENS} tokens that were never written are found by another request"
        if found
        else "nothing of what was never written is found",
    )


def unknown_worker(probe, stack):
    """The server does not know the worker any more: its load fails and the holds of the look-up are given back."""
    tokens, worker = list(range(TOKENS)), stack.worker
    worker.batched_submit_store_requests(["r6"], [operation(tokens, [0, 1, 2, 3])], worker.create_recorded_event())
    stack.finished(0, "r6", ["r6"])
    stack.end("r6")
    probe.check(stack.look_up("r7", tokens) == TOKENS, "a request finds what it will load")
    stack.module("LMCacheDrivenTransferModule").unregister_kv_cache(worker.instance_id)
    worker.batched_submit_retrieve_requests(["r7"], [operation(tokens, [4, 5, 6, 7])], worker.create_recorded_event())
    probe.check(stack.finished(1, "r7"), "the load is reported as finished")
    probe.check(worker.get_block_ids_with_load_errors(), "and its blocks as not loaded")
    stack.end("r7")
    free = parts.until(lambda: stack.scheduler.reset_cache() and stack.engine.storage_manager.get_l1_usage()[0] == 0)
    probe.check(free, "the holds of the look-up are given back")
