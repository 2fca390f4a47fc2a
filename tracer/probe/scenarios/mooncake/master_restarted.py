"""The master is killed and started again: clients mount their memory again, what was stored is not found."""

import time
from typing import Any

from _cluster import Cluster

PATHS = ("store", "lookup")


def run(probe: Any) -> None:
    """Put, kill the master, start it again on the same port, put again."""
    with Cluster(probe, client_ttl=60) as cluster:
        owner = cluster.client("owner")
        probe.begin()
        probe.check(owner("put", "before", {"size": 65536, "fill": 1}) == 0, "put returns 0")
        probe.check(owner("is_exist", "before") == 1, "it is found")
        cluster.stop_master()
        status = owner("put", "between", {"size": 65536, "fill": 2})
        probe.check(status != 0, "without a master a put fails, and returns")
        cluster.start_master()
        mounted = cluster.until(lambda: cluster.metric("master_total_capacity_bytes") > 0, 60)
        probe.check(mounted, "the client mounts its memory again by itself")
        probe.check(owner("is_exist", "before") == 0, "what was stored before is not found: its index is gone")
        since = time.monotonic()
        probe.check(owner("put", "after", {"size": 65536, "fill": 3}) == 0, "a put works again")
        probe.check(owner("get", "after") == {"size": 65536, "fill": 3}, "and is read")
        probe.note("put_status_without_master", status)
        probe.note("seconds_of_first_put", round(time.monotonic() - since, 2))
        probe.end()
