"""The transfer engine alone: pages are written from one process into the memory of another, over TCP."""

from typing import Any

from _cluster import Cluster

PATHS = ()  # the binding hides its functions: none of the hand-off's steps can be seen by name
PAGE, PAGES = 64 << 10, 8


def run(probe: Any) -> None:
    """Register memory on both sides, write pages one by one and as a batch, read them on the other side."""
    with Cluster(probe, master=False) as cluster:
        decode = cluster.engine("decode")
        prefill = cluster.engine("prefill")
        probe.begin()
        target = decode("memory", PAGE * PAGES, 0)
        source = prefill("memory", PAGE * PAGES, 5)
        where = f"127.0.0.1:{decode('get_rpc_port')}"
        probe.check(prefill("transfer_sync_write", where, source, target, PAGE) == 0, "one page is written")
        probe.check(decode("look", target, PAGE * PAGES) == {"size": PAGE * PAGES, "mixed": [0, 5]}, "and no more")
        sources = [source + PAGE * n for n in range(PAGES)]
        targets = [target + PAGE * n for n in range(PAGES)]
        status = prefill("batch_transfer_sync_write", where, sources, targets, [PAGE] * PAGES)
        probe.check(status == 0, "a batch of pages is written, and the call returns when all are")
        probe.check(
            decode("look", target, PAGE * PAGES) == {"size": PAGE * PAGES, "fill": 5}, "the other side has them"
        )
        probe.note("connector", "not run: it needs vLLM's distributed set-up; this is the transfer that it asks for")
        probe.end()
