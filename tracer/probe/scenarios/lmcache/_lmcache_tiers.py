"""Two L2 tiers in memory for LMCache's plug-in adapter: one that loads when it is let, one that fails."""

import threading

from lmcache.lmcache_native import Bitmap
from lmcache.v1.distributed.l2_adapters.mock_l2_adapter import MockL2Adapter, MockL2AdapterConfig

GATE = threading.Event()  # set: loads may go on


class Slow(MockL2Adapter):
    """Starts each load at once and writes when `GATE` is set, as a transfer in flight does."""

    def __init__(self, *_, **__):
        super().__init__(MockL2AdapterConfig(1, 100))
        self.loading, self.loads_ended = {}, 0

    def submit_load_task(self, keys, objects):
        """Write into `objects` later, in a thread."""
        task = self._next_task_id
        self._next_task_id += 1
        targets = [o.tensor for o in objects]
        self.loading.update((t.data_ptr(), k) for t, k in zip(targets, keys, strict=True))
        threading.Thread(target=self._load, args=(task, keys, targets), daemon=True).start()
        return task

    def _load(self, task, keys, targets):
        GATE.wait()
        for key, target in zip(keys, targets, strict=True):
            target.copy_(self._memory_objects[key].tensor)
        found = Bitmap(len(keys))
        for n in range(len(keys)):
            found.set(n)
        with self._lock:
            self._completed_load_tasks[task] = found
        self.loads_ended += 1
        self._load_efd.notify()


class Failing(MockL2Adapter):
    """Raises when it is asked how a load went."""

    def __init__(self, *_, **__):
        super().__init__(MockL2AdapterConfig(1, 100))

    def query_load_result(self, _):
        """As a client whose connection broke."""
        raise ConnectionError("the tier is gone")
