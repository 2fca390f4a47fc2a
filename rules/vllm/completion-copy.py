"""Completion of device copies: an event recorded last on the copy's stream, polled or waited for later."""

from __future__ import annotations

from collections import deque

import torch


class SingleDirectionOffloadingHandler:
    def __init__(self) -> None:
        self._transfers: deque[tuple[int, torch.Event]] = deque()

    def start(self, job_id: int, stream: object) -> None:
        begin = torch.Event()
        end = torch.Event()
        begin.record(stream)  # expect: nothing
        end.record(stream)  # expect: vllm.completion.copy-event signal
        self._transfers.append((job_id, end))  # expect: nothing

    def poll(self) -> list[int]:
        done = []
        event = torch.Event()
        while event.query():  # expect: vllm.completion.copy-event observe
            job_id, _ = self._transfers.popleft()  # expect: vllm.completion.copy-queue observe
            done.append(job_id)  # expect: nothing
        return done

    def block(self) -> None:
        event = torch.Event()
        event.synchronize()  # expect: vllm.completion.copy-event observe


class _PendingSpill:
    def __init__(self) -> None:
        self.worker_completions = 0
        self.age = 0


class HiSparseCoordinator:
    def __init__(self) -> None:
        self.pending_spills: dict[int, _PendingSpill] = {}

    def report(self, spill_id: int, workers: int) -> None:
        spill = self.pending_spills[spill_id]
        spill.age += 1  # expect: nothing
        spill.worker_completions += 1  # expect: vllm.completion.page-transfers observe
        if spill.worker_completions == workers:
            del self.pending_spills[spill_id]  # expect: vllm.completion.page-transfers observe
