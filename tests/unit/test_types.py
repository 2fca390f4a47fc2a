"""The interface as somebody else's type checker sees it: `import tracer; tracer.trace(...)`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
ROOT = Path(__file__).parents[2]
TYPED = ROOT / "tests" / "typed"


def test_a_type_checker_knows_the_interface_and_refuses_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n[mypy-networkx.*]\nignore_missing_imports = true\n")
    for file in TYPED.glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text())
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "outside.py", "wrong.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    text = (TYPED / "wrong.py").read_text()
    wanted = [(n, line.split("# expect: ")[1]) for n, line in enumerate(text.splitlines(), 1) if "# expect: " in line]
    found = re.findall(r"^wrong\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.M)
    assert [(int(n), code) for n, code in found] == wanted, done.stdout + done.stderr
    assert "outside.py" not in done.stdout
