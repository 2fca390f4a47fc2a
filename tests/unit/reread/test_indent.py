"""Code that a page shows without the blanks that all its lines begin with is read as it stands in the file."""

from __future__ import annotations

from tracer.reread.pages import _Page
from tracer.reread.texts import Row

PAGE = """\
<div class="code" data-file="a.py" data-indent="4"><pre><code>\
<span class="row" data-line="3"><span class="src">def f(self):
</span></span><span class="row" data-line="4"><span class="src">
</span></span><span class="row" data-line="5"><span class="src">    return 1
</span></span></code></pre></div>
<div class="code" data-file="b.py"><pre><code><span class="row" data-line="1"><span class="src">x = 1
</span></span></code></pre></div>
"""


def test_the_blanks_that_a_page_leaves_out_are_put_back() -> None:
    page = _Page()
    page.feed(PAGE)
    rows = [item for item in page.items if isinstance(item, Row)]
    assert [(r.file, r.line, r.text) for r in rows] == [
        ("a.py", 3, "    def f(self):"), ("a.py", 4, ""), ("a.py", 5, "        return 1"), ("b.py", 1, "x = 1")
    ]  # fmt: skip
