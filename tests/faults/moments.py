"""Ends, or starves, something that writes, at each moment at which it touches its folder: none is left to chance.

`python -m tests.faults.moments WHAT HARM FOLDER` does one of `SCENARIOS` undisturbed, then again and again, each time
in a process of its own that meets the harm one moment later: `kill` is SIGKILL just before a file is opened, moved,
removed or cut, a folder made, a program started, or a statement given to SQLite; `full` is "No space left on device"
there. Prints each thing that is wrong afterwards, and last how many moments there were.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults import driver
from tests.unit.checkout import sources
from tracer import checkout, stages
from tracer.checkout.folder import FolderTree, any_target
from tracer.cli import paths
from tracer.errors import TracerError
from tracer.model import Edge, EngineRevision
from tracer.probe import environment, feed, plan, run, setup
from tracer.render import report
from tracer.render.atlas import frame, writer
from tracer.render.atlas.page import Page, same
from tracer.survey import store
from tracer.targets import SourceSpec, Version, save_pin, target

MOST = 400  # moments; more would mean that something does not end
ENDED = 99  # of a process that met no harm because it was done before
_REFUSED = 3
_ROOM = ("open", "os.rename", "os.mkdir", "os.truncate")  # what a full disk refuses
_ALL = (*_ROOM, "os.remove", "os.rmdir", "os.chmod", "subprocess.Popen")


@dataclass(frozen=True)
class Scenario:
    """What is there before, what is done, and how what lies there is told (a name and its content, whole or not)."""

    before: Callable[[Path], None]
    act: Callable[[Path], object]
    told: Callable[[Path], Mapping[str, object]]
    stays: str = ""  # a file that tells the next one what a refused one left, and goes with that


# -- what is written --------------------------------------------------------------------------
def _files(folder: Path) -> dict[str, object]:
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def _report(folder: Path, word: str) -> None:
    names = ("index.md", "publish-a-1.json", "publish-a-1.md", "publish-b-2.md")
    report.write(report.Report({n: f"{word} {n}\n" * 3 for n in names}, ()), folder)


def _atlas(folder: Path, word: str) -> None:
    """A site of ten small pages, of which the old and the new one share seven."""
    first = 0 if word == "old" else 3
    frame.render = lambda page, common: f"{page.title['en']} {common['word']}\n" * 3  # type: ignore[assignment]
    writer.assets = lambda: {"site.js": b"js", "fonts/f.css": word.encode()}
    pages = [Page(f"kind{n % 3}/p{n}.html", "t", same(f"{n}"), {}) for n in range(first, first + 10)]
    writer.write(pages, {"word": word}, folder / "site")


def _out(folder: Path, word: str) -> None:
    paths.deliver(word * 9000, folder / "path.json")


def _edges(folder: Path, word: str) -> None:
    feed.write([Edge(word, "b", "call", "observed", "f.py", 1)], folder / "seen.jsonl")


def _pin(folder: Path, name: str) -> None:
    os.environ["TRACER_CONFIG_DIR"] = str(folder)
    source = SourceSpec("archive", project="vllm", file=f"vllm-{name}.tar.gz", sha256="a" * 64)
    save_pin(target("vllm"), Version(name, f"v{name}", "", name, "2027-01-01", (source,)))


def _fetch(folder: Path, word: str) -> object:
    os.environ["TRACER_CACHE_DIR"] = str(folder)
    source = folder.with_name(f"source-{word}")
    for n in range(3):
        (source / "toy").mkdir(parents=True, exist_ok=True)
        (source / "toy" / f"m{n}.py").write_text(f"{word} = {n}\n")
    return checkout.fetch(sources.target(), sources.version(), origin=source)


def _fetched(folder: Path) -> dict[str, object]:
    """The tree as a question sees it: whole, or not there."""
    os.environ["TRACER_CACHE_DIR"] = str(folder)
    tree = checkout.store.stored(sources.target(), sources.version())
    left = {p.name: b"left" for p in (folder / "trees" / "toy").glob(".1.0.tmp-*")}
    if tree is None:
        return left
    return left | {"tree": tuple(tree.read(f.path) for f in tree.files())}


def _recording(folder: Path, word: str) -> None:
    root = folder.with_name("root") / "toy"
    root.mkdir(parents=True, exist_ok=True)
    program = f"import sys; sys.stdout.write('')  # {word}"
    run.run_program(None, [sys.executable, "-c", program], [root], folder, {}, quiet=True)


def _recorded(folder: Path) -> dict[str, object]:
    """A recording that says that it is whole has all its files; the half of one never says so."""
    from tracer.probe import recording

    found = {f"left {p.name}": b"" for p in folder.glob(".*")}
    if not list(folder.glob("*.jsonl")):
        return found
    seen = recording.load(folder)
    if not seen.runs:
        assert any("has not ended" in gap for gap in seen.gaps), seen.gaps
        return found
    assert not seen.gaps and (folder / "output.txt").is_file(), seen.gaps
    return found | {"run": seen.runs[0]["command"][-1], "processes": len(list(folder.glob("*.jsonl")))}


FAKE = """#!/bin/sh
# Stands in for a Python that makes environments: pip installs by leaving a file, and fails where it is not whole.
here=$(dirname "$(dirname "$0")")
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && mkdir -p "$3/pip" ;;
  "-m pip") [ -d "$here/pip" ] || exit 1; mkdir "$here/busy" || exit 1
    sleep "${FAKE_TAKES:-0.01}"; rmdir "$here/busy"; : > "$here/done" ;;
  *) echo 3.12 ;;
esac
"""


def _setup_at_once(folder: Path, _: str) -> None:
    _setup(folder, print)


def _setup(folder: Path, say: Callable[[str], object] = lambda _: None) -> Path:
    os.environ["TRACER_CACHE_DIR"] = str(folder)
    setup.PACKAGES_MIB = 0
    base = folder.with_name("fake-python")
    base.parent.mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        handle = os.open(base, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755)
        os.write(handle, FAKE.encode())
        os.close(handle)
    engine = environment.Environment(
        sources.target(), sources.version(), "wheel", (), ("toy",), {}, stubs=("one==1.0", "two==2.0")
    )
    return setup.build(engine, say, base=str(base))


def _kept(folder: Path, question: str) -> str:
    """A question about a folder whose answer is kept, and one whose parts are."""
    os.environ["TRACER_CACHE_DIR"] = str(folder)
    place = folder.with_name("engine")
    if not place.exists():
        driver.make(place, 6)
    tree = FolderTree(place / "src", any_target("toy"), "1.0")
    engine = EngineRevision(tree.engine, tree.version, tree.revision)
    with contextlib.redirect_stdout(None):
        answer = driver.where(place)
    return stages.remembered(question, [engine], [place / "rules"], str, lambda: answer)


def _answered(folder: Path) -> dict[str, object]:
    """What a later question is answered; the bytes of the cache are its own affair."""
    return {"answer": _kept(folder, "q")}


SCENARIOS: dict[str, Scenario] = {
    "report": Scenario(lambda p: _report(p, "old"), lambda p: _report(p, "new"), _files),
    "out": Scenario(lambda p: _out(p, "old\n"), lambda p: _out(p, "new\n"), _files),
    "atlas": Scenario(lambda p: _atlas(p, "old"), lambda p: _atlas(p, "new"), _files, "site/.atlas-journal"),
    "edges": Scenario(lambda p: _edges(p, "old"), lambda p: _edges(p, "new"), _files),
    "plan": Scenario(lambda p: None, lambda p: plan.write({"symbols": ["a"] * 99}, p), _files),
    "pin": Scenario(lambda p: _pin(p, "0.40.0"), lambda p: _pin(p, "0.41.0"), _files),
    "fetch": Scenario(lambda p: None, lambda p: _fetch(p, "new"), _fetched),
    "fetch-again": Scenario(lambda p: _fetch(p, "old") and None, lambda p: _fetch(p, "new"), _fetched),
    "recording": Scenario(lambda p: _recording(p, "old"), lambda p: _recording(p, "new"), _recorded),
    "setup": Scenario(lambda p: None, _setup, _files),
    "kept": Scenario(lambda p: None, lambda p: _kept(p, "q"), _answered),
}  # fmt: skip


# -- the harm ---------------------------------------------------------------------------------
class _Moments:
    """Counts the moments of this process, and does the harm at one of them."""

    def __init__(self, folder: Path, harm: str, at: int) -> None:
        self.folder, self.harm, self.left = str(folder), harm, at

    def pass_one(self) -> bool:
        """Whether the harm is to be done now."""
        self.left -= 1
        if self.left == 0 and self.harm == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return self.left == 0

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if event not in (_ALL if self.harm == "kill" else _ROOM):
            return
        if event == "open" and not args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
        said = str(args[0])
        ours = event == "subprocess.Popen" or said.startswith(self.folder) or said.isdigit()  # a digit: a handle
        if ours and self.pass_one():
            raise OSError(28, "No space left on device", said)


def _watch(moments: _Moments) -> None:
    """Have each statement of the cache be a moment too."""

    class Watched(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            self._pass()
            return super().execute(*given)

        def executemany(self, *given: Any) -> sqlite3.Cursor:
            self._pass()
            return super().executemany(*given)

        def _pass(self) -> None:
            if moments.pass_one():
                raise sqlite3.OperationalError("database or disk is full")

    connect = sqlite3.connect
    store.sqlite3.connect = lambda *a, **k: connect(*a, **k, factory=Watched)  # type: ignore[assignment]


def _harmed(scenario: Scenario, folder: Path, harm: str, at: int) -> int:
    """Act in a child that meets the harm at moment `at`: how it ended; `ENDED` if there was no such moment."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        moments = _Moments(folder, harm, at)
        _watch(moments)
        sys.addaudithook(moments.hook)
        scenario.act(folder)
        status = ENDED if moments.left > 0 else 0
    except TracerError as error:
        status = _REFUSED if "\n" not in str(error) and error.exit_code == _REFUSED else 71
        if status != _REFUSED:
            print(f"exit {error.exit_code}: {error}")
    except BaseException as error:
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.stdout.flush()
        os._exit(status)


def _again(scenario: Scenario, folder: Path) -> None:
    """Act undisturbed; what the killed one started may take a moment to end."""
    end = time.monotonic() + 20
    while True:
        try:
            scenario.act(folder)
            return
        except TracerError as error:
            if "another run" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def wrong(name: str, harm: str, place: Path) -> Iterator[str]:
    """What is wrong after the harm at each moment; last the number of moments."""
    scenario = SCENARIOS[name]
    for part in ("before", "calm"):
        (place / part / "x").mkdir(parents=True)
        scenario.before(place / part / "x")
    scenario.act(place / "calm" / "x")
    old, new = (dict(scenario.told(place / part / "x")) for part in ("before", "calm"))
    for at in range(1, MOST):
        home = place / str(at)
        shutil.copytree(place / "before", home, symlinks=True)
        status = _harmed(scenario, home / "x", harm, at)
        if status == ENDED:
            yield str(at - 1)
            return
        if status not in ({-signal.SIGKILL} if harm == "kill" else {0, _REFUSED}):
            yield f"moment {at}: it ended with {status}"
        for file, content in scenario.told(home / "x").items():
            if file in new and content not in (new[file], old.get(file)):
                yield f"moment {at}: {file} is neither the old one nor the new one"
            if harm == "full" and file not in new and file not in old and file != scenario.stays:
                yield f"moment {at}: {file} is left over"
        _again(scenario, home / "x")
        if (now := dict(scenario.told(home / "x"))) != new:
            keys = {k for k in {*now, *new} if now.get(k) != new.get(k)}
            yield f"moment {at}: then not what an undisturbed run leaves: {', '.join(sorted(keys))}"
        shutil.rmtree(home)
    yield f"no end after {MOST} moments"


if __name__ == "__main__":
    for line in wrong(sys.argv[1], sys.argv[2], Path(sys.argv[3])):
        print(line, flush=True)
