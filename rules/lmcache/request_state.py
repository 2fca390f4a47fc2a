"""Request states: the connector's phase, the server's session, the in-process load promise."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class LMCacheMPRequestState(enum.Enum):  # expect: mp-tracker define
    PREFETCHING = 1
    READY = 2


class LMCacheMPRequestTracker:
    def __init__(self) -> None:
        self.state = LMCacheMPRequestState.PREFETCHING  # expect: mp-tracker transition
        self.hits = 0  # expect: nothing


def ready(tracker: LMCacheMPRequestTracker) -> None:
    tracker.state = LMCacheMPRequestState.READY  # expect: mp-tracker transition
    tracker.hits = 3  # expect: nothing


class PrefetchPhase(enum.Enum):  # expect: prefetch-request define
    LOOKUP = 1


class PrefetchController:
    def __init__(self) -> None:
        self._in_flight_requests: dict[int, object] = {}

    def begin(self, number: int) -> None:
        self._in_flight_requests[number] = object()  # expect: prefetch-request transition

    def end(self, number: int) -> None:
        self._in_flight_requests.pop(number, None)  # expect: prefetch-request transition


class SessionManager:
    def __init__(self) -> None:
        self._sessions: dict[str, object] = {}

    def open(self, name: str) -> None:
        self._sessions[name] = object()  # expect: session transition

    def known(self, name: str) -> bool:
        return name in self._sessions  # expect: nothing


@dataclass
class LoadSpec:  # expect: load-spec define
    tokens: int
    can_load: bool


def after_alloc(spec: LoadSpec) -> None:
    spec.can_load = True  # expect: load-spec transition
    spec.tokens = 4  # expect: nothing


class EventStatus(enum.Enum):  # expect: events define
    ONGOING = 1


class EventManager:
    def __init__(self) -> None:
        self.events: dict[str, object] = {}

    def begin(self, name: str) -> None:
        self.events[name] = object()  # expect: events transition


class LookupModule:
    def __init__(self) -> None:
        self._prefetch_jobs: dict[str, object] = {}

    def asked(self, name: str) -> None:
        self._prefetch_jobs[name] = object()  # expect: prefetch-job transition

    def answered(self, name: str) -> None:
        self._prefetch_jobs.pop(name, None)  # expect: prefetch-job transition


class LMCacheConnectorV1Impl:
    def __init__(self) -> None:
        self.load_specs: dict[str, LoadSpec] = {}

    def promised(self, name: str) -> None:
        self.load_specs[name] = LoadSpec(8, False)  # expect: load-spec transition
