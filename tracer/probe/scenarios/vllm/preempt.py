"""Preemption: two long requests over too few blocks; one loses its blocks, waits, and is computed again."""

import _vllm_parts as parts
from vllm.v1.request import RequestStatus

PATHS = ("publish",)
VERSIONS = ">=0.11"


def run(probe):
    """Two requests that grow until the pool has no block left."""
    blocks = 8  # one of them is the null block
    config = parts.configure(probe.folder, blocks)
    engine = parts.scheduler(config, blocks)
    hashed = parts.hasher(config)
    one = parts.request("one", range(100, 140), hashed, most=40)
    two = parts.request("two", range(500, 540), hashed, most=40)
    probe.note("stood in for", "the model's answer (sampled tokens)")
    probe.begin()

    engine.add_request(one)
    engine.add_request(two)
    seen = set()
    for _ in range(120):
        parts.step(engine)
        seen |= {(r.request_id, r.status) for r in (one, two)}
        if one.is_finished() and two.is_finished():
            break
    preempted = [name for name, status in seen if status == RequestStatus.PREEMPTED]
    probe.check(len(preempted) == 1, "one request is preempted")
    probe.check((preempted[0], RequestStatus.RUNNING) in seen, "it had been running")
    probe.check(one.is_finished() and two.is_finished(), "both end all the same")
    probe.check(all(len(r.output_token_ids) == 40 for r in (one, two)), "no token of either is lost")
    probe.check(parts.references(engine) == 0, "nothing is held any more")
