"""A worker without a device, by the engine's own interface for workers (`worker_cls`): it answers instead of a model.

The executor calls it as it calls any worker; the connector's worker side runs through the engine's own mixin. Where a
model would write keys and values, each block gets the number of its first token, so that what is loaded can be told.
"""

import _vllm_parts as parts
import torch
from vllm.forward_context import set_forward_context
from vllm.v1.worker.kv_connector_model_runner_mixin import KVConnectorModelRunnerMixin as Mixin
from vllm.v1.worker.worker_base import WorkerBase


class Worker(WorkerBase):
    """Plays the model's part for one rank."""

    def init_device(self):
        self.device = torch.device("cpu")
        parts.one_rank(self.vllm_config)

        self.planned = []  # tokens of each request, step by step

    def load_model(self, **_):
        """There is none."""

    def get_kv_cache_spec(self):
        return dict.fromkeys(parts.LAYERS, parts.spec())

    def get_supported_kv_cache_layouts(self):
        return ["LBHNC", "BLHNC"]

    def determine_available_memory(self):
        return parts.spec().page_size_bytes * len(parts.LAYERS) * (self.cache_config.num_gpu_blocks_override or 16)

    def initialize_cache(self, num_gpu_blocks, num_cpu_blocks):
        """Told to every worker by older versions."""

    def initialize_from_config(self, kv_cache_config):
        if self.vllm_config.kv_transfer_config is not None:
            parts.start_transfer(self.vllm_config, kv_cache_config)
        self.cache = torch.zeros((kv_cache_config.num_blocks, parts.HEADS, parts.BLOCK, 2 * parts.SIZE))
        if self.vllm_config.kv_transfer_config is not None:
            self._connector().register_kv_caches(dict.fromkeys(parts.LAYERS, self.cache))

    def get_kv_connector_handshake_metadata(self):
        """What other engines must know to fetch from this one; the connectors here have nothing to tell."""
        return

    def compile_or_warm_up_model(self):
        """Nothing to compile; newer versions want the time it took."""
        try:
            from vllm.v1.worker.worker_base import CompilationTimes
        except ImportError:
            return 0.0
        return CompilationTimes(language_model=0.0, encoder=0.0)

    def get_supported_tasks(self):
        return ("generate",)

    def execute_model(self, scheduler_output):
        """One step: transfers by the engine's mixin, blocks written, one token for each request."""
        self.planned.append(dict(scheduler_output.num_scheduled_tokens))
        if self.vllm_config.kv_transfer_config is None:
            self._compute(scheduler_output)
            return parts.answer(scheduler_output)
        if not scheduler_output.total_num_scheduled_tokens:
            self._before(scheduler_output)
            return Mixin.kv_connector_no_forward(scheduler_output, self.vllm_config)
        self._before(scheduler_output)
        with (
            set_forward_context(None, self.vllm_config),
            Mixin.maybe_get_kv_connector_output(scheduler_output) as output,
        ):
            self._compute(scheduler_output)
        return parts.answer(scheduler_output, connector=output)

    def _before(self, planned):
        handle = getattr(self._connector(), "handle_preemptions", None)
        if handle is not None:
            handle(planned.kv_connector_metadata)

    def _compute(self, planned):
        for new in planned.scheduled_new_reqs:
            tokens = new.prompt_token_ids
            for k in range(new.num_computed_tokens // parts.BLOCK, len(tokens) // parts.BLOCK):
                self.cache[new.block_ids[0][k]] = float(tokens[k * parts.BLOCK])

    def _connector(self):
        from vllm.distributed.kv_transfer import get_kv_transfer_group

        return get_kv_transfer_group()
