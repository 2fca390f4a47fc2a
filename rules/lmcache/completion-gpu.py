"""Device completion: an event behind the copy, and a host callback on the same stream."""

from __future__ import annotations

import torch


class DeviceHostFuncDispatcher:
    def register(self, kind: str, handler: object) -> None: ...


class EventBackend:
    def record_event(self, event: object, stream: object) -> None: ...

    def wait_event(self, event: object, stream: object) -> None: ...

    def query_event(self, event: object) -> bool: ...


def submit_callback_to_stream(stream: object, kind: str, payload: object) -> None: ...


class Copier:
    def __init__(self, events: EventBackend, dispatcher: DeviceHostFuncDispatcher) -> None:
        self.events = events
        dispatcher.register("finish_copy", self.done)  # expect: stream-callback observe
        dispatcher.register("log_line", self.done)  # expect: nothing

    def done(self) -> None: ...

    def copy(self, stream: object, before: object, after: object) -> None:
        self.events.wait_event(before, stream)  # expect: device-event observe
        self.events.record_event(after, stream)  # expect: device-event signal
        submit_callback_to_stream(stream, "finish_copy", [])  # expect: stream-callback signal
        submit_callback_to_stream(stream, "log_line", [])  # expect: nothing

    def copy_plain(self) -> None:
        event = torch.cuda.Event(interprocess=True)
        event.record()  # expect: device-event signal
        event.synchronize()  # expect: device-event observe


class DeviceMessagingFuture:
    def __init__(self, backend: EventBackend) -> None:
        self.backend_ = backend
        self.event_: object | None = None

    def ended(self) -> bool:
        return self.backend_.query_event(self.event_)  # expect: device-event observe

    def probed(self, probe: object) -> bool:
        return self.backend_.query_event(probe)  # expect: nothing
