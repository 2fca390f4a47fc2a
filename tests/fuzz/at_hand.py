"""Survey and read everything at hand: `python -m tests.fuzz.at_hand [--share N]`.

The standard library, and the ten largest packages of this environment: code that nobody wrote for us. Every N-th file
(1: all) is surveyed and three of its functions are read. Prints what was read; a crash ends it with the file's name.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from tracer.errors import TracerError
from tracer.model import lines_of
from tracer.reading.python import read_python
from tracer.survey import survey_file
from tracer.survey.store import encode


def libraries() -> list[Path]:
    """The standard library and the ten largest folders of site-packages."""
    paths = sysconfig.get_paths()
    packages = [p for p in Path(paths["purelib"]).iterdir() if p.is_dir() and not p.name.endswith("-info")]
    largest = sorted(packages, key=lambda p: (-sum(f.stat().st_size for f in p.rglob("*.py")), p.name))[:10]
    return [Path(paths["stdlib"]), *largest]


def files(share: int) -> Iterator[Path]:
    """Every `share`-th Python file of them, in the order of their names."""
    for library in libraries():
        found = sorted(p for p in library.rglob("*.py") if "site-packages" not in p.relative_to(library).parts)
        yield from found[::share]


def read(file: Path) -> tuple[int, bool]:
    """How many functions of `file` were read, and whether it has facts at all."""
    data = file.read_bytes()
    facts = survey_file("x.py", data)
    encode(facts)
    done, lines = 0, lines_of(data)
    for d in [d for d in facts.definitions if d.last - d.first < 150][:3]:
        try:
            read_python(lines, d.first, d.last, d.name)
        except TracerError:
            continue
        done += 1
    return done, not facts.problem


def main(share: int) -> tuple[int, int, int]:
    """(files, files with a reason instead of facts, functions read)."""
    number = without = functions = 0
    for file in files(share):
        try:
            done, known = read(file)
        except Exception as error:
            raise SystemExit(f"{file}: {type(error).__name__}: {error}") from error
        number, without, functions = number + 1, without + (not known), functions + done
    return number, without, functions


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=int, default=1)
    number, without, functions = main(parser.parse_args().share)
    sys.stdout.write(f"{number} files, {without} without facts and with the reason, {functions} functions read\n")
