"""Request state by shape: a field that only gets members of one enumeration; lists between which objects move."""

from __future__ import annotations

import enum


class Phase(enum.Enum):  # expect: status define
    NEW = 1
    RUNNING = 2
    DONE = 3


class Mood(enum.Enum):  # expect: nothing (no field gets its members)
    GOOD = 1
    BAD = 2
    UGLY = 3


class Job:
    def __init__(self) -> None:
        self.phase = Phase.NEW  # expect: status transition
        self.label = ""


class Loop:
    def __init__(self) -> None:
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self.names: list[str] = []

    def add(self, job: Job) -> None:
        self.waiting.append(job)  # expect: list transition

    def step(self, job: Job) -> None:
        self.waiting.remove(job)  # expect: list transition
        self.running.append(job)  # expect: list transition
        job.phase = Phase.RUNNING  # expect: status transition
        job.label = "x"  # expect: nothing (text)
        self.names.append(job.label)  # expect: nothing (no objects)

    def end(self, job: Job) -> None:
        self.running.remove(job)  # expect: list transition
        job.phase = Phase.DONE  # expect: status transition

    def over(self, job: Job) -> bool:
        return job.phase is Phase.DONE
