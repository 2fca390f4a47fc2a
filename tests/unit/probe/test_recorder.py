"""The recorder, in a process of its own, on an invented package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tracer.errors import UsageError
from tracer.model import Edge
from tracer.probe import observed, recorder

PACKAGE = """
    import concurrent.futures, os, sys, threading

    class Base:
        def __init__(self):
            self.made = helper()

        @property
        def size(self):
            return helper()

        def go(self):
            return sorted([3, 1], key=lambda x: weigh(x))

    class Part(Base):
        def __init__(self):
            super().__init__()

    def helper():
        return 1

    def weigh(x):
        return x

    def items():
        yield helper()
        yield 2

    def drain():
        return [x for x in items()]

    def loop():
        helper()

    def threads():
        t = threading.Thread(target=loop)
        t.start()
        t.join()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(weigh, 1).result()

    def fork():
        pid = os.fork()
        if pid == 0:
            loop()
            os._exit(0)
        os.waitpid(pid, 0)

    def lazy():
        import pack.late
        class Inner:
            made = helper()
        return weigh(Inner)

    def main():
        p = Part()
        p.size
        p.go()
        drain()
        threads()
        fork()
    """


@pytest.fixture
def seen(tmp_path: Path) -> list[observed.Observed]:
    return observed.read(_record(tmp_path, "pack.main()"))


def _record(tmp_path: Path, run: str) -> Path:
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text(dedent(PACKAGE))
    script = f"""
        import importlib.util, sys
        sys.path.insert(0, {str(tmp_path)!r})
        spec = importlib.util.spec_from_file_location("recorder", {recorder.__file__!r})
        module = sys.modules["recorder"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        import pack
        module.start({str(tmp_path / "out")!r}, [{str(package)!r}])
        {run}
        """
    subprocess.run([sys.executable, "-c", dedent(script)], check=False, timeout=300)
    return tmp_path / "out"


def _edges(seen: list[observed.Observed]) -> set[tuple[str, str, str]]:
    return {(o.caller.removeprefix("pack."), o.callee.removeprefix("pack."), o.kind) for o in seen}


def test_calls_constructors_and_properties(seen: list[observed.Observed]) -> None:
    assert {
        ("main", "Part.__init__", "call"),
        ("Part.__init__", "Base.__init__", "call"),
        ("main", "Base.size", "call"),
        ("Base.size", "helper", "call"),
    } <= _edges(seen)


def test_what_runs_in_a_lambda_or_comprehension_belongs_to_its_function(seen: list[observed.Observed]) -> None:
    assert {("Base.go", "weigh", "call"), ("drain", "items", "generator"), ("items", "helper", "call")} <= _edges(seen)
    assert not any("<" in o.caller + o.callee for o in seen)


def test_a_thread_and_an_executor_know_who_handed_over_the_work(seen: list[observed.Observed]) -> None:
    assert {("threads", "loop", "thread"), ("threads", "weigh", "task")} <= _edges(seen)


def test_a_forked_child_has_a_recording_of_its_own(tmp_path: Path) -> None:
    out = _record(tmp_path, "pack.fork()")
    assert len(list(out.glob("*.jsonl"))) == 2
    assert ("fork", "loop", "call") in _edges(observed.read(out))


def test_a_killed_process_leaves_what_it_saw(tmp_path: Path) -> None:
    out = _record(tmp_path, "pack.drain(); import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert ("drain", "items", "generator") in _edges(observed.read(out))


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    out = _record(tmp_path, "pack.drain()")
    file = next(out.glob("*.jsonl"))
    whole = len(observed.read(out))
    rows = [line for line in file.read_text().splitlines() if '"edge"' in line or '"roots"' in line]
    file.write_text("\n".join([*rows, '{"edge": ["x']))
    assert len(observed.read(out)) == whole


def test_counts_are_written_at_the_end(tmp_path: Path) -> None:
    out = _record(tmp_path, "[pack.helper() or pack.drain() for _ in range(3)]; pack.drain()")
    rows = [json.loads(line) for line in next(out.glob("*.jsonl")).read_text().splitlines()]
    counts = {tuple(n.split(":")[1] for n in r["count"]): r["n"] for r in rows if "count" in r}
    assert counts["drain", "items"] == 1
    assert counts["items", "helper"] == 1


def test_recall_counts_what_the_graph_has_and_says_why_it_lacks_the_rest(seen: list[observed.Observed]) -> None:
    def edge(source: str, target: str, line: int = 1) -> Edge:
        return Edge(f"pack.{source}", f"pack.{target}", "call", "exact", "pack/__init__.py", line)

    result = observed.recall(seen, [edge("main", "Part"), edge("threads", "loop"), edge("drain", "items")])
    assert result.found == 3
    assert result.seen > 8
    why = {o.callee: reason for o, reason in result.missed}
    assert why["pack.Base.size"].startswith("the line does not name")
    assert dict(result.reasons)["handed over to a thread or executor"] == 1


def test_what_an_import_or_a_class_body_runs_is_no_call_of_who_imports(tmp_path: Path) -> None:
    late = tmp_path / "pack" / "late.py"
    run = f"open({str(late)!r}, 'w').write('import pack; pack.helper()'); pack.lazy()"
    found = _edges(observed.read(_record(tmp_path, run)))
    assert ("lazy", "weigh", "call") in found
    assert not {callee for caller, callee, _ in found if caller == "lazy"} & {"helper", "lazy.Inner"}


def test_an_empty_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recording"):
        observed.read(tmp_path)
