"""A connector whose loads fail in part, on the engine's interface for connectors that are not its own.

It claims the first 32 tokens of a prompt, "loads" them in the background, and reports the second block as not loaded.
"""

from dataclasses import dataclass, field

from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorBase_V1, KVConnectorMetadata

CLAIMED = 32  # tokens
TOLD = []  # blocks that the worker's side reported as failed


@dataclass
class Loads(KVConnectorMetadata):
    """Request → blocks to load."""

    blocks: dict = field(default_factory=dict)


class FailingConnector(KVConnectorBase_V1):
    """Scheduler's and worker's side; the engine makes one object for each."""

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self._asked, self._wanted, self._running, self._failed = set(), {}, set(), set()

    # -- scheduler's side
    def get_num_new_matched_tokens(self, request, num_computed_tokens):
        if request.request_id in self._asked or num_computed_tokens >= CLAIMED:
            return 0, False
        return CLAIMED - num_computed_tokens, True

    def update_state_after_alloc(self, request, blocks, num_external_tokens):
        if num_external_tokens > 0:
            self._asked.add(request.request_id)
            self._wanted[request.request_id] = list(blocks.get_block_ids()[0])

    def build_connector_meta(self, _scheduler_output):
        found, self._wanted = Loads(self._wanted), {}
        return found

    # -- worker's side
    def start_load_kv(self, _forward_context, **_):
        for request, blocks in self._get_connector_metadata().blocks.items():
            self._running.add(request)
            self._failed.add(blocks[1])

    def wait_for_layer_load(self, _layer_name):
        """Loads are in the background."""

    def save_kv_layer(self, *_args, **_named):
        """Nothing is saved."""

    def wait_for_save(self):
        """Nothing is saved."""

    def get_finished(self, _finished_req_ids):
        done, self._running = self._running, set()
        return None, done or None

    def get_block_ids_with_load_errors(self):
        failed, self._failed = self._failed, set()
        TOLD.extend(sorted(failed))
        return failed
