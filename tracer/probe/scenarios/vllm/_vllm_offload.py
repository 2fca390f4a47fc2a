"""One engine core in this process, with the offloading connector, driven through the engine's own client."""

import time

import _vllm_copy as copy
import _vllm_parts as parts
from vllm.config import KVTransferConfig
from vllm.v1.engine import EngineCoreRequest
from vllm.v1.engine.core_client import InprocClient
from vllm.v1.executor.abstract import UniProcExecutor


class Engine:
    """`blocks` blocks on the device, more in the host tier; stores go on, loads wait until they are let go."""

    def __init__(self, probe, blocks, connector=None):
        transfer = connector or KVTransferConfig(
            kv_connector="OffloadingConnector",
            kv_role="kv_both",
            kv_connector_extra_config={
                "spec_name": "HeldSpec",
                "spec_module_path": "_vllm_copy",
                "num_cpu_blocks": 64,
                "cpu_bytes_to_use": 1 << 24,
            },
        )
        config = parts.configure(probe.folder, blocks, transfer)
        config.cache_config.num_gpu_blocks_override = blocks
        config.parallel_config.worker_cls = "_vllm_worker.Worker"
        self.client = InprocClient(config, UniProcExecutor, True)
        self.core = self.client.engine_core
        self.scheduler = self.core.scheduler
        self.cache = self.core.model_executor.driver_worker.worker.cache
        copy.STORES.set()
        copy.LOADS.clear()
        stood = "the model's answer; the device's copy engine (a thread); device memory is host memory"
        probe.note("stood in for", stood)

    def add(self, name, tokens, most=4):
        """A request as a front end sends it; the scheduler's own record of it is given back."""
        values = {
            "request_id": name,
            "prompt_token_ids": list(tokens),
            "mm_features": None,
            "sampling_params": parts.sampling(most),
            "pooling_params": None,
            "eos_token_id": None,
            "arrival_time": time.time(),
            "lora_request": None,
            "cache_salt": None,
            "data_parallel_rank": None,
        }
        known = EngineCoreRequest.__struct_fields__
        self.client.add_request(EngineCoreRequest(**{k: v for k, v in values.items() if k in known}))
        return self.scheduler.requests[name]

    def step(self):
        """One step of the engine core, as its client takes it."""
        return self.client.get_output()

    def until(self, held, most=200):
        """Step until something holds; whether it came to that."""
        for _ in range(most):
            if held():
                return True
            self.step()
            time.sleep(0.002)
        return held()

    def gone(self, *names):
        """Whether the scheduler has forgotten these requests."""
        return not any(name in self.scheduler.requests for name in names)
