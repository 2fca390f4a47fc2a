"""Failed load: a block could not be loaded; the request computes from there on, and nothing wrong is published."""

import _vllm_failing as failing
import _vllm_offload as offload
import _vllm_parts as parts
from vllm.config import KVTransferConfig
from vllm.v1.request import RequestStatus

VERSIONS = ">=0.12"  # before, a connector could not report what it failed to load


def run(probe):
    """One request whose second block fails to load."""
    connector = KVTransferConfig(
        kv_connector="FailingConnector",
        kv_connector_module_path="_vllm_failing",
        kv_role="kv_both",
        kv_load_failure_policy="recompute",
    )
    engine = offload.Engine(probe, 16, connector)
    scheduler = engine.scheduler
    probe.note("stood in for", "the model's answer; the connector (our own class on the engine's interface)")
    probe.begin()

    waiting = engine.add("a", range(100, 152))
    engine.step()
    probe.check(waiting.status == RequestStatus.WAITING_FOR_REMOTE_KVS, "the request waits for its load")
    probe.check(parts.published(scheduler) == 0, "nothing is published before the load has ended")
    probe.check(engine.until(lambda: failing.TOLD, 5), "the worker's side reports a block that failed")
    probe.check(engine.until(lambda: waiting.status == RequestStatus.RUNNING, 10), "the request is scheduled again")
    worker = engine.core.model_executor.driver_worker.worker
    first = next(p["a"] for p in worker.planned if "a" in p)
    probe.check(first == 52 - parts.BLOCK, "all but the block that did load is computed")
    probe.check(engine.until(lambda: engine.gone("a")), "the request ends")
    probe.check(len(waiting.output_token_ids) == 4, "with all its tokens")
    probe.check(parts.references(scheduler) == 0, "nothing is held any more")
