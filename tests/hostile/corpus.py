"""Hostile sources of our own making: what an engine's repository could hold to harm whoever reads it with a tool.

Each entry is a name and the bytes of one file; the name says what is wrong with it. Two more lists hold names that are
options, formulas or markup. `PWNED` is the file that any code of theirs would make if it ever ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

PWNED = "pwned"
MARKUP = "<img src=x onerror=alert(1)>"

# What gives every file a site: a map that a lookup reads, filled under a condition with the file's own hostile text.
_POOL = '''

class Pool:
    def __init__(self):
        self.blocks = {{}}
        self.refs = 0

    def commit(self, key, block):
        """ {text} """
        if key != {literal}:  # {text}
            self.blocks[key] = block
            self.refs += 1

    def lookup(self, key):
        return self.blocks.get(key)

    def drop(self, key):
        self.refs -= 1
        self.blocks.pop(key, None)
'''


def pool(text: str = "") -> str:
    """A small cache whose comment, docstring and guard hold `text`."""
    safe = text.replace("\\", "\\\\").replace('"""', "'''")
    return _POOL.format(text=safe.replace("\n", " "), literal=repr(text))


TEXTS = {
    "html": f"</script></style>{MARKUP}<script>fetch('http://127.0.0.1/x')</script><svg onload=alert(1)>",
    "html-comment": "--><img src=x onerror=alert(1)>]]>",
    "attribute": "\" onmouseover=\"alert(1)\" x='",
    "markdown": "``` </code> [a](javascript:alert(1)) ![b](http://127.0.0.1/b.png) | a | b | <b>",
    "template": "{{ 7*7 }} {% for x in ().__class__.__mro__ %} ${7*7} #{7*7} <%= 7*7 %> {{config}}",
    "terminal": "\\x1b[2J \x9b31m \\x1b]0;owned\\x07",
    "bidi": "user \u202e \u2066// admin\u2069 \u2066",
    "homoglyph": "р\u0430ge c\u0430che",
    "formula": "=HYPERLINK(\"http://127.0.0.1\") +1 -1 @SUM(A1)",
    "shell": "$(touch pwned) `touch pwned` ; touch pwned | touch pwned && touch pwned",
    "log": "\\n2026-01-01 INFO all fine\\r\\nSet-Cookie: a=b",
    "dot": '"]; node [label="owned" URL="javascript:alert(1)"]; "',
    "mermaid": 'a"] --> b["<img src=x onerror=alert(1)>"]; click a "javascript:alert(1)"',
    "json": '{"__proto__": {"x": 1}} </script> \u2028 \u2029',
    "sql": "'); drop table facts; --",
    "percent": "%s%s%n %(x)s {0.__class__} {x!r:>{y}}",
}

_RUNS = f"import os, pathlib\npathlib.Path('{PWNED}').touch(); os.system('touch {PWNED}')\n"


def _deep(open_: str, close: str, depth: int, core: str = "1") -> str:
    return open_ * depth + core + close * depth


def python_sources() -> Iterator[tuple[str, bytes]]:
    """(what is wrong, bytes) of Python files."""
    for name, text in TEXTS.items():
        yield f"text-{name}", pool(text).encode("utf-8", "surrogatepass")
    yield "runs-on-import", (_RUNS + pool()).encode()
    yield "runs-in-metaclass", f"class M(type):\n    def __new__(m, *a):\n        open('{PWNED}', 'w')\nclass A(metaclass=M): ...\n".encode() + pool().encode()
    yield "runs-in-decorator", f"def d(f):\n    open('{PWNED}', 'w')\n    return f\n@d\ndef g(): ...\n".encode()
    yield "runs-in-annotation", f"def g(x: open('{PWNED}', 'w')) -> eval(\"open('{PWNED}','w')\"): ...\n".encode()
    yield "runs-in-fstring", f"x = f\"{{open('{PWNED}', 'w')}}\"\n".encode()
    yield "parentheses", _deep("(", ")", 20_000).encode()
    yield "lists", ("x = " + _deep("[", "]", 5_000)).encode()
    yield "calls", ("x = " + _deep("f(", ")", 3_000)).encode()
    yield "attributes", ("x = a" + ".b" * 50_000).encode()
    yield "call-chain", ("x = a" + ".b()" * 5_000).encode()
    yield "subscripts", ("x = a" + "[0]" * 20_000).encode()
    yield "sum", ("x = " + "+".join(["1"] * 50_000)).encode()
    yield "and-or", ("x = " + " and ".join(["a"] * 20_000)).encode()
    yield "not", ("x = " + "not " * 20_000 + "a").encode()
    yield "minus", ("x = " + "-" * 50_000 + "1").encode()
    yield "lambda", ("x = " + "lambda: " * 5_000 + "1").encode()
    yield "ternary", ("x = " + "1 if a else " * 5_000 + "2").encode()
    yield "await", ("async def f():\n    x = " + "await " * 2_000 + "g()").encode()
    yield "comprehension", ("x = " + "[y for y in " * 500 + "z" + "]" * 500).encode()
    yield "fstring-nesting", ("x = " + "f'{" * 60 + "1" + "}'" * 60).encode()
    yield "indentation", "".join("    " * n + f"if a{n}:\n" for n in range(99)).encode() + b"    " * 99 + b"x = 1\n"
    yield "indentation-too-deep", "".join(" " * n + f"if a{n}:\n" for n in range(400)).encode() + b" " * 400 + b"x = 1\n"
    yield "elif-chain", ("if a:\n  x = 1\n" + "".join(f"elif b == {n}:\n  x = {n}\n" for n in range(3_000))).encode()
    yield "nested-functions", "".join("  " * n + f"def f{n}():\n" for n in range(90)).encode() + b"  " * 90 + b"return 1\n"
    yield "nested-classes", "".join("  " * n + f"class C{n}:\n" for n in range(90)).encode() + b"  " * 90 + b"x = 1\n"
    yield "try-nesting", "".join("  " * n + "try:\n" for n in range(18)).encode() + b"  " * 18 + b"x = 1\n" + "".join(
        "  " * n + "finally:\n" + "  " * (n + 1) + "y()\n" for n in reversed(range(18))).encode()
    yield "with-items", ("def f(p):\n    with " + ", ".join(f"a{n}() as b{n}" for n in range(300)) + ":\n        p.refs += 1\n").encode()
    yield "own-base", b"class A(A): ...\nclass B(C): ...\nclass C(B):\n    def m(self): return super().m()\n"
    yield "impossible-bases", b"class A: ...\nclass B(A): ...\nclass C(A, B):\n    def m(self): self.x.y.z()\n"
    yield "many-bases", ("class A0: ...\n" + "".join(f"class A{n}(A{n - 1}, A{n // 2}): ...\n" for n in range(1, 400))).encode()
    yield "own-alias", b"a = b\nb = c\nc = a\nx = a.b.c\na()\n"
    yield "own-property", b"class P:\n    @property\n    def p(self): return self.p.p\n    def m(self): return self.p.m().p.m()\n"
    yield "own-return", b"def f(): return g()\ndef g(): return h()\ndef h(): return f()\nf().a.b()\n"
    yield "own-decorator", b"@d\ndef d(f): return d\n@d\n@d\ndef e(): ...\n"
    yield "own-import", b"from . import *\nfrom .own_import import *\nfrom .own_import import x as x\nimport own_import\n"
    yield "climbing-import", b"from ................ import secret\nfrom ...................x import y\n"
    yield "recursive-annotation", b"T = list['T']\nx: 'dict[T, dict[T, T]]' = {}\ndef f(x: T) -> 'T': return x[0][0][0].a\n"
    yield "deep-annotation", ("x: '" + "list[" * 2_000 + "int" + "]" * 2_000 + "' = 1\n").encode()
    yield "bad-annotation", b"x: 'list[' = 1\ny: ')(' = 2\nz: '\\x00' = 3\ndef f(a: '1 +') -> '@': ...\n"
    yield "self-assignment", b"class S:\n    def m(self):\n        self.x = self.x.x.x\n        self.x = self\n        self.x.x.x.m()\n"
    yield "many-assignments", ("def f():\n" + "".join(f"    a{n} = a{n - 1} if x else a{n - 2}\n" for n in range(2, 2_000))).encode()
    yield "widening-union", ("def f(p):\n" + "".join(f"    p = p or C{n}()\n" for n in range(300)) + "    p.go()\n"
                             + "".join(f"class C{n}:\n    def go(self): return self\n" for n in range(300))).encode()
    yield "many-methods", ("class M:\n" + "".join(f"    def m{n}(self): self.m{n + 1}()\n" for n in range(5_000))).encode()
    yield "many-same-methods", "".join(f"class C{n}:\n    def put(self, k): self.d[k] = 1\n" for n in range(1_500)).encode()
    yield "same-method-twice", b"class T:\n" + b"    def put(self): self.refs += 1\n" * 2_000
    yield "many-callers", ("def put(p): p.refs += 1\n" + "".join(f"def c{n}(p): put(p); c{(n + 1) % 900}(p)\n" for n in range(900))).encode()
    yield "long-line", b"x = '" + b"a" * 3_000_000 + b"'\n"
    yield "long-name", b"def " + b"n" * 100_000 + b"(): pass\n"
    yield "long-docstring", b'def f():\n    """' + b"word " * 400_000 + b'"""\n'
    yield "many-lines", b"x = 1\n" * 30_000
    yield "empty", b""
    yield "only-comment", b"# nothing"
    yield "nul", b"x = 1\n\0y = 2\n"
    yield "bom", b"\xef\xbb\xbf" + pool().encode()
    yield "utf-16", pool().encode("utf-16")
    yield "latin-1-cookie", "# -*- coding: latin-1 -*-\nx = '\xe9'\n".encode("latin-1")
    yield "unknown-cookie", b"# -*- coding: no-such-codec -*-\nx = 1\n"
    yield "dangerous-cookie", b"# -*- coding: rot13 -*-\nk = 1\n"
    yield "unicode-escape-cookie", b"# -*- coding: unicode_escape -*-\nx = 1\\nopen('pwned','w')\n"
    yield "not-utf-8", b"x = '\xff\xfe'\n"
    yield "surrogate", "x = '\ud800'\n".encode("utf-8", "surrogatepass")
    yield "surrogate-escape", b"x = '\\ud800'\nclass C:\n    def m(self): self.d['\\ud800'] = 1\n"
    yield "carriage-returns", pool().replace("\n", "\r").encode()
    yield "mixed-line-ends", b"a = 1\r\nb = 2\rc = 3\n\x0cd = 4\n\x0be = 5\n\xc2\x85f = 6\n\xe2\x80\xa8g = 7\n"
    yield "form-feed-in-string", b"x = '''\x0c\x1c\x1d\x1e\xc2\x85'''\ndef f(): pass\n"
    yield "null-bytes-name", "def f\u0430(): pass\nf\u0430()\ndef fa(): pass\n".encode()
    yield "wide-identifiers", "def ｐｕｔ(): pass\nput()\n𝓅𝓊𝓉()\n".encode()
    yield "conflict", b"<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n"
    yield "html-file", f"<html>{MARKUP}</html>".encode()
    yield "tabs-and-spaces", b"if a:\n\tx = 1\n        y = 2\n"
    yield "backslashes", b"x = 1" + b" \\\n" * 20_000 + b" + 1\n"
    yield "open-string", b'x = """' + b"a\n" * 10_000
    yield "big-number", b"x = " + b"9" * 20_000 + b"\n"
    yield "hex-number", b"x = 0x" + b"f" * 200_000 + b"\n"
    yield "power", b"x = 9 ** 9 ** 9 ** 9\ny = 'a' * 10 ** 12\nz = [0] * 10 ** 12\n"
    yield "match", ("match a:\n" + "".join(f"  case [{n}, *r]:\n    x = {n}\n" for n in range(1_000))).encode()
    yield "globals", b"globals()['f'] = eval\nsetattr(object, 'x', 1)\n__builtins__ = {}\nexec('open(\"pwned\", \"w\")')\n"
    yield "getattr-forwarding", b"class F:\n    def __getattr__(self, n): return getattr(self, n)\nF().a.b.c()\n"
    yield "thread-of-itself", b"import threading\nclass T:\n    def run(self): threading.Thread(target=self.run).start()\n"
    yield "queue-of-itself", b"import queue\nclass Q:\n    def __init__(self): self.q = queue.Queue()\n    def a(self): self.q.put(self.q); self.q.get().put(1)\n"


def cpp_sources() -> Iterator[tuple[str, bytes]]:
    """(what is wrong, bytes) of C++ files."""
    for name, text in TEXTS.items():
        inner = text.replace("\\", "\\\\").replace('"', '\\"')
        yield f"text-{name}", (
            f'// {text}\nstruct Pool {{\n  std::unordered_map<std::string, int> blocks_;\n  int refs_ = 0;\n'
            f'  void Commit(const std::string& k) {{ if (k != "{inner}") {{ blocks_[k] = 1; ++refs_; }} }}\n'
            f"  bool Lookup(const std::string& k) {{ return blocks_.count(k); }}\n}};\n"
        ).encode("utf-8", "surrogatepass")
    yield "braces", b"{" * 20_000
    yield "closing-braces", b"}" * 20_000
    yield "parentheses", ("int x = " + _deep("(", ")", 20_000) + ";").encode()
    yield "blocks", ("void f() " + _deep("{", "}", 5_000, "x();")).encode()
    yield "templates", ("A" + "<A" * 5_000 + ">" * 5_000 + " x;").encode()
    yield "namespaces", "".join(f"namespace n{n} {{" for n in range(3_000)).encode() + b"void f(){}" + b"}" * 3_000
    yield "classes", "".join(f"struct C{n} {{" for n in range(1_000)).encode() + b"void f(){}" + b"};" * 1_000
    yield "else-if", ("void f() { if (a) {}" + " else if (b) {}" * 3_000 + "}").encode()
    yield "lambdas", ("auto x = " + "[&]{ return " * 1_000 + "1;" + "};" * 1_000).encode()
    yield "calls", ("int x = " + _deep("f(", ")", 5_000) + ";").encode()
    yield "members", ("void f() { a" + "->b" * 20_000 + "(); }").encode()
    yield "pointers", b"int " + b"*" * 20_000 + b"p;"
    yield "function-pointers", ("void " + _deep("(*", ")()", 500, "f") + ";").encode()
    yield "conditions", b"#if A\n" * 5_000 + b"void f(){}\n" + b"#endif\n" * 5_000
    yield "open-condition", b"#if 0\n#else\n#elif 1\nvoid f() {\n"
    yield "macro-bomb", b"#define A0 x x\n" + "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 64)).encode() + b"int y = A63;\n"
    yield "macro-of-itself", b"#define A B\n#define B A\nA B(int A) { A; }\n#define f(x) f(f(x))\nf(f(f(1)))\n"
    yield "include-of-itself", b'#include "include-of-itself.h"\n#include "/etc/passwd"\n#include "../../../../etc/passwd"\n'
    yield "open-comment", b"/* " + b"a\n" * 50_000
    yield "open-string", b'const char* x = "' + b"a" * 100_000
    yield "raw-string", b'auto x = R"(' + b")\n" * 50_000
    yield "own-base", b"struct A : A {}; struct B : C {}; struct C : B { void f() { C::f(); } };"
    yield "own-alias", b"using A = B; using B = A; typedef C C; A a; void f() { a.b(); }"
    yield "own-return", b"auto f() { return g(); } auto g() { return f(); } void h() { f().x(); }"
    yield "own-template", b"template<class T> struct A : A<A<T>> { void f() { this->f(); } };"
    yield "many-overloads", "".join(f"void f(T{n} x) {{ f(x); }}\n" for n in range(2_000)).encode()
    yield "many-fields", b"struct S {" + "".join(f"int f{n};" for n in range(20_000)).encode() + b"};"
    yield "long-line", b"int x = " + b"1+" * 60_000 + b"1;"
    yield "long-name", b"void " + b"n" * 100_000 + b"() {}"
    yield "nul", b"void f() {\0}\n"
    yield "not-utf-8", b"void f\xff() { \xfe }\n"
    yield "bom", b"\xef\xbb\xbfvoid f() {}\n"
    yield "utf-16", "void f() {}".encode("utf-16")
    yield "empty", b""
    yield "trigraphs", b"??=define X ??< ??>\nvoid f() ??< X; ??>\n"
    yield "line-splices", b"vo\\\nid f() { x\\\n\\\n\\\n(); }\n" + b"\\\n" * 20_000
    yield "digraphs", b"%:define X <% %>\nint a<:3:>;\n"
    yield "html-file", f"<html>{MARKUP}</html>".encode()
    yield "attributes", b"[[" * 5_000 + b"]]" * 5_000 + b"void f();"
    yield "operators", "".join(f"bool operator{o}(A, A);" for o in ("<", ">", "<<", "()", "[]", ",", "->*", "new[]")).encode()
    yield "goto", ("void f() {" + "".join(f"l{n}: goto l{(n * 7) % 500};" for n in range(500)) + "}").encode()
    yield "switch", ("void f() { switch (x) {" + "".join(f"case {n}: a_[k] = {n};" for n in range(5_000)) + "} }").encode()


# Names of files as a repository may spell them; a name that a file system or a terminal cannot show becomes a gap.
FILE_NAMES: tuple[str, ...] = (
    f"{MARKUP}.py".replace("/", ""), "a'b\"c.py", "{{7*7}}.py", "${jndi:x}.py", "-rf.py", "--format=json.py",
    "$(touch pwned).py", ";touch pwned;.py", "|touch pwned.py", "`touch pwned`.py", "```md.py", "a b.py", "con.py",
    "%s%n%x.py", "...py", "[a](b).py", "#x.py", "?q=1.py", "&amp;.py", "~root.py", "*.py", "p\u0430ge.py",
    "\u0645\u0644\u0641.py", "缓存.py", "e\u0301.py", "n" * 200 + ".py", "a:b.py", "@file.py", "=1+1.py", "'.py", "__proto__.py",
    "constructor.py", "index.html.py", "\U0001f4a9.py", "\u202egnp.py", "tab\there.py", "line\nbreak.py", "esc\x1b[31m.py",
    "zero\u200bwidth.py", "back\\slash.py",
)

# What a user (or a script that passes on somebody's words) may give as ENGINE@VERSION, symbol or revision.
WORDS: tuple[str, ...] = (
    "vllm@--upload-pack=touch pwned", "vllm@-x", "vllm@../../etc/passwd", "vllm@$(touch pwned)", "vllm@;touch pwned",
    "vllm@HEAD~1", "vllm@refs/heads/main:x", "vllm@\x00", "vllm@\n", "vllm@" + "9" * 10_000, "--help-me", "../vllm", "/etc/passwd",
    "vllm@ext::sh -c touch% pwned", "vllm@{0}", "vllm@%s", MARKUP, "vllm@" + MARKUP, "vllm@\u202e1.0", "vllm@0x10", "@", "vllm@@", "",
)  # fmt: skip


def rule_files() -> Mapping[str, str]:
    """What is wrong → the text of a rule file."""
    good = "- id: toy.publish.x\n  role: publish\n  layer: host\n"
    return {
        "billion laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
            f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "alias of itself": "a: &a [*a]\n",
        "merge key bomb": "a: &a {x: 1}\nb: {<<: [*a, *a, *a]}\n",
        "python object": f"!!python/object/apply:os.system ['touch {PWNED}']\n",
        "python name": "!!python/name:os.system\n",
        "binary": "!!binary aGVsbG8=\n",
        "deep": "[" * 20_000 + "]" * 20_000,
        "deep maps": "{a: " * 5_000 + "1" + "}" * 5_000,
        "deep blocks": "".join(" " * n + "a:\n" for n in range(2_000)),
        "large": "# " + "x" * (2 << 20),
        "nul": "a: \0\n",
        "not text": "\x00\x01\x02",
        "tabs": "\ta: 1\n",
        "empty": "",
        "scalar": "42\n",
        "list of scalars": "- 1\n- 2\n",
        "unknown key": good + "  run: touch pwned\n",
        "unknown role": good.replace("publish\n", "own\n", 1),
        "wrong type": "- id: {a: b}\n  role: [publish]\n",
        "duplicate keys": good + "  role: protection\n",
        "many documents": "---\n".join([good] * 50),
        "template": "- id: '{{7*7}}'\n  role: '{% x %}'\n",
        "markup": f"- id: \"{MARKUP}\"\n  role: publish\n",
        "date": "- id: 2026-01-01\n  role: publish\n",
        "number": "- id: 1e999\n  role: .nan\n",
        "broken pattern": good + "  actions: {commit: [{op: insert, state: ['Pool.('], text: '(a+)+$'}]}\n",
    }

# What may be given for a symbol, a role or a question.
NAMES = ("", "\0", "(((((", "a.b" * 3_000, "*", "../x", "--op", MARKUP, "\u202e", "[" * 999, "::")

# Saved answers that are none.
DOCUMENTS = {
    "nothing": "", "no json": "{", "deep": "[" * 100_000, "number": "1", "list": "[]", "null": "null", "engines text": '{"engines": "x"}',
    "engine text": '{"engines": ["x"]}', "no name": '{"engines": [{}]}', "site text": '{"engines": [{"name": "vllm"}], "sites": ["x"]}',
    "line text": '{"engines": [{"name": "vllm"}], "sites": [{"file": "a", "first": "1"}]}',
    "negative": '{"engines": [{"name": "vllm"}], "sites": [{"file": "a", "first": -1}]}', "nul": "\0", "not text": "\udc80",
}  # fmt: skip
