"""`walk`: a named path as a guided tour, one step a screen; in a pipe, all steps in order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from tracer.cli.answers import Lang, Language
from tracer.cli.console import Bars, Format, folders, on_terminal, write, write_document, write_lines, write_styled
from tracer.cli.paths import Choose, Stack, With, asked, fetch
from tracer.cli.questions import Rules

if TYPE_CHECKING:
    from tracer.render.text import Line
    from tracer.walks.model import Tour

HELP = {
    "en": "space, → or n: next · ← or b: back · NUMBER then Enter: that step · a: the answer · ?: this help · q: end",
    "zh": "空格、→ 或 n：下一步 · ← 或 b：上一步 · 数字加回车：跳到该步 · a：看答案 · ?：帮助 · q：结束",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(walk)


def walk(
    words: Annotated[
        list[str], typer.Argument(metavar="NAME ENGINE…", help="A named path (`tracer paths` lists them), engines.")
    ],
    more: With = None,
    stack: Stack = None,
    choose: Choose = None,
    lang: Lang = Language.en,
    step: Annotated[int, typer.Option(min=0, help="Begin at this step; in a pipe, only it.")] = 0,
    quiz: Annotated[bool, typer.Option("--quiz", help="Hide what is said of a step until asked.")] = False,
    speaker: Annotated[bool, typer.Option("--speaker", help="What to say, and when, in five minutes.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Without pairs and claims: notes, sites and code only.")] = False,
    rules: Rules = None,
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """A tour along a named path: what happens, the code, who owns the memory, what protects it, what may fail."""
    from tracer.walks.gather import tour_of

    names, specs = asked(words, [*(more or [])], stack, most=1)
    with Bars() as bars:
        fetch(specs, bars)
        tour = tour_of(
            names[0], specs, choose=choose or (), rules=folders(rules or []), fast=fast, progress=bars
        )
    if step > len(tour.stops):
        from tracer.errors import UsageError

        raise UsageError(f"there is no step {step}", todo=f"this path has {len(tour.stops)} steps")
    if form is Format.json:
        from tracer.render.walks import document

        write_document(document(tour))
    elif sys.stdin.isatty() and sys.stdout.isatty() and form is Format.text:
        Screens(tour, lang.value, quiz, speaker).run(step or 1)
    else:
        _print(tour, lang.value, step, quiz, speaker)
    if tour.path.end != "complete":
        raise typer.Exit(3)


def _print(tour: Tour, lang: str, only: int, quiz: bool, speaker: bool) -> None:
    """All steps in order, or one of them."""
    from tracer.render import walks

    def lines() -> Iterable[Line]:
        if not only:
            yield from walks.opening(tour, lang)
        for s in tour.stops:
            if only in (0, s.number):
                yield (("", ""),)
                yield from walks.stop(tour, s, lang, hide=quiz, speaker=speaker)
        if not only:
            yield (("", ""),)
            yield from walks.closing(tour, lang)

    write_styled(lines())


class Screens:
    """The tour in a terminal: a screen a step, moved by keys."""

    def __init__(
        self, tour: Tour, lang: str, quiz: bool, speaker: bool, key: Callable[[], str] | None = None,
        clear: Callable[[], None] | None = None,
    ) -> None:
        """`key` reads one key, `clear` empties the screen; those of this terminal if not given."""
        self.tour, self.lang, self.quiz, self.speaker = tour, lang, quiz, speaker
        self.key, self.clear = key or read_key, clear or _clear
        self.asked: set[int] = set()  # steps whose answer was asked for

    def run(self, number: int) -> None:
        """From step `number` until the user ends it."""
        shown, typed, at = 0, "", max(1, min(number, len(self.tour.stops) or 1))
        while self.tour.stops:
            if at != shown:
                self.show(at)
                shown = at
            key = self.key()
            if key in ("q", "\x03", "\x04", ""):
                return
            if key.isdecimal() and key.isascii():
                typed += key
                continue
            target = int(typed) if typed and key in ("\r", "\n") else 0
            typed = ""
            if key in (" ", "n", "right", "\r", "\n") and not target:
                at = min(at + 1, len(self.tour.stops))
            elif key in ("b", "left"):
                at = max(at - 1, 1)
            elif target:
                at = max(1, min(target, len(self.tour.stops)))
            elif key == "a":
                self.asked.add(at)
                shown = 0
            elif key == "?":
                write_lines([HELP[self.lang]])

    def show(self, number: int) -> None:
        """Draw one step."""
        from tracer.render import walks

        self.clear()
        s = self.tour.stops[number - 1]
        if number == 1:
            write_styled(walks.opening(self.tour, self.lang))
        hide = self.quiz and number not in self.asked
        write_styled(walks.stop(self.tour, s, self.lang, hide=hide, speaker=self.speaker))
        if number == len(self.tour.stops):
            write_styled(walks.closing(self.tour, self.lang))
        write_lines([f"[{number}/{len(self.tour.stops)}]  {HELP[self.lang]}"])
        sys.stdout.flush()


def read_key() -> str:
    """One key of the terminal: a character, `left`, `right`; "" at the end of input."""
    try:
        import termios
        import tty
    except ImportError:  # no Unix terminal: a line a key
        line = sys.stdin.readline()
        return line.strip()[:1] or (" " if line else "")
    import os

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        data = os.read(descriptor, 8)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    known = {b"\x1b[C": "right", b"\x1bOC": "right", b"\x1b[D": "left", b"\x1bOD": "left"}
    return known.get(data, data[:1].decode("ascii", "replace"))


def _clear() -> None:
    if on_terminal():
        write("\x1b[2J\x1b[H")


__all__ = ["Screens", "read_key", "register"]
