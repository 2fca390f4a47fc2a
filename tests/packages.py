"""What is in the packages: `python -m tests.packages dist/*`.

The wheel holds the program and its data, the sdist what builds and tests it. Compares the names with those that git
knows; anything missing or more ends with status 1.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

DATA = ("rules", "targets", "reports")  # in the wheel under tracer/shipped/
SOURCE = ("tracer", *DATA, "tests", ".ci")
FILES = ("README.md", "CHANGELOG.md", "pyproject.toml", ".gitignore")


def known() -> set[str]:
    """Every file of the repository."""
    return set(subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines())


def wheel(names: set[str], files: set[str]) -> set[str]:
    """What a wheel lacks or has too much."""
    wanted = {f for f in files if f.startswith("tracer/")}
    wanted |= {f"tracer/shipped/{f}" for f in files if f.partition("/")[0] in DATA}
    return {n for n in names if ".dist-info/" not in n} ^ wanted


def sdist(names: set[str], files: set[str]) -> set[str]:
    """What an sdist lacks or has too much."""
    wanted = {f for f in files if f in FILES or f.partition("/")[0] in SOURCE}
    return {n.partition("/")[2] for n in names} - {"PKG-INFO"} ^ wanted


def main(packages: list[str]) -> int:
    """Print what is wrong with each package."""
    status = 0
    for name in packages:
        if name.endswith(".whl"):
            with zipfile.ZipFile(name) as z:
                wrong = wheel(set(z.namelist()), known())
        else:
            with tarfile.open(name) as t:
                wrong = sdist({m.name for m in t.getmembers() if m.isfile()}, known())
        print(f"{Path(name).name}: {', '.join(sorted(wrong)[:8]) or 'as it should be'}")
        status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
