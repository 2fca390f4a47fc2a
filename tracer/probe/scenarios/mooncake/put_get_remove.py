"""A value is put, found, read, and removed after its lease: the way from Python to the master's map and back."""

from typing import Any

from _cluster import Cluster

PATHS = ("store", "load", "lookup")


def run(probe: Any) -> None:
    """Put, look up, get, remove; the same from a second client over TCP."""
    with Cluster(probe, default_kv_lease_ttl=8000) as cluster:
        owner, reader = cluster.client("owner"), cluster.client("reader", segment=0)
        probe.begin()
        probe.check(owner("put", "key", {"size": 100_000, "fill": 7}) == 0, "put returns 0")
        probe.check(reader("is_exist", "key") == 1, "another client finds it")
        probe.check(reader("get", "key") == {"size": 100_000, "fill": 7}, "another client reads the same bytes")
        probe.check(owner("get", "key") == {"size": 100_000, "fill": 7}, "its writer reads the same bytes")
        batch = [f"batch-{i}" for i in range(4)]
        status = owner("put_batch", batch, [{"size": 4096, "fill": i} for i in range(4)])
        probe.check(status == 0, "put_batch returns 0")
        probe.check(reader("batch_is_exist", batch) == [1] * 4, "every key of the batch is found")
        removed = cluster.until(lambda: owner("remove", "key") == 0, 60)
        probe.check(removed, "after its lease it is removed")
        probe.check(reader("is_exist", "key") == 0, "it is found no more")
        counters = cluster.metrics()
        for name in ("master_put_start_requests_total", "master_put_end_requests_total"):
            probe.check(counters.get(name, 0) >= 1, f"the master counted {name}")
        probe.check(reader("close") == 0 and owner("close") == 0, "both clients leave in order")
        probe.end()
