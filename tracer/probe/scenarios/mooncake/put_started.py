"""A put that has started and not ended is invisible to readers; when it ends they see it whole."""

import signal
from typing import Any

from _cluster import MB, Cluster

PATHS = ("store", "lookup")


def run(probe: Any) -> None:
    """The owner of the memory is halted, so that the writer's transfer cannot end; then it goes on."""
    with Cluster(probe, client_ttl=120, put_start_discard_timeout_sec=90) as cluster:
        owner = cluster.client("owner", watched=False)  # a halted process needs no debugger
        writer, reader = cluster.client("writer", segment=0), cluster.client("reader", segment=0)
        probe.begin()
        probe.check(writer("put", "before", {"size": 4096, "fill": 1}) == 0, "a put returns 0")
        starts, ends = (cluster.metric(f"master_put_{w}_requests_total") for w in ("start", "end"))
        owner.signal(signal.SIGSTOP)
        try:
            writer.send("put", "slow", {"size": 8 * MB, "fill": 2})
            began = cluster.until(lambda: cluster.metric("master_put_start_requests_total") > starts, 30)
            probe.check(began, "the master counted the start of the put")
            found = reader("is_exist", "slow")
            probe.check(found == 0, "a look-up does not find it")
            probe.check(reader("get", "slow") == {"size": 0, "fill": 0}, "a get reads nothing")
            probe.check(reader("get_size", "slow") < 0, "its size is not told")
            probe.check(cluster.metric("master_put_end_requests_total") == ends, "all this while the put had not ended")
        finally:
            owner.signal(signal.SIGCONT)
        probe.check(writer.wait() == 0, "the put returns 0 once the transfer can go on")
        probe.check(reader("is_exist", "slow") == 1, "now a look-up finds it")
        probe.check(reader("get", "slow") == {"size": 8 * MB, "fill": 2}, "and a get reads all of it")
        probe.end()
