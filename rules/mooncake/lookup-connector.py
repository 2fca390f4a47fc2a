"""Invented: the router decided where the prompt is."""


class MooncakeConnectorScheduler:
    def matched(self, params: dict, prompt: int, computed: int) -> tuple[int, bool]:
        if params.get("do_remote_prefill"):
            count = prompt - computed
            return count, True  # expect: remote-prompt query
        return 0, False  # expect: nothing
