"""Facts: what a survey keeps of one file. No path, no module name, so equal content is surveyed once.

Names are relative to the file: `Class.method`, `outer.inner` (Python), `ns::Class::method` (C++). Scopes are
indices into `FileFacts.definitions`; -1 is the module (file) itself. Lambdas and comprehensions belong to the
function that holds them.

**Access paths** spell expressions that types can follow, as text:
    root     an identifier (`self`, `x`, C++ `ns::x`) · `<T>` a value of annotated/cast type T · `super()` ·
             `#str #int #float #bool #none #list #dict #set #tuple #lambda` literals · `?` anything else
    suffix   `.name` attribute (C++ `->` and `.` alike) · `()` result of calling · `[]` element by subscript ·
             `[0]`, `['k']` element by constant · `[*]` element by iteration
`getattr(x, "n")` is `x.n`; `cast(T, x)` and C++ casts are `<T>`; `await e`, `*e`, `&e`, `std::move(e)`,
`std::forward<T>(e)` are `e`; `Foo(...)` is `Foo()`; `std::make_shared<T>(…)` is `std::make_shared<T>()`;
C++ `this->f` is `this.f`, an implicit member `f_` stays `f_`. Where an expression has alternatives
(`a or b`, `x if c else y`) a fact is emitted for each.
"""

from __future__ import annotations

import msgspec

VERSION = 10  # raise when the surveys' output changes: it is part of the cache key


class Param(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A parameter: name, annotation text, access path of the default; `kind` is "" | "*" | "**"."""

    name: str
    annotation: str = ""
    default: str = ""
    kind: str = ""


class Definition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class, function or declaration. `line` holds its name; `first`..`last` is all of it, decorators included."""

    name: str
    kind: str            # class | enum | function (and method) | declaration (C++ without body) | alias (using/typedef)
    line: int
    first: int
    last: int
    parent: int = -1
    bases: tuple[str, ...] = ()        # as written: "Base", "Generic[T]", C++ "public Base<T>" → "Base<T>"
    params: tuple[Param, ...] = ()
    returns: str = ""                  # annotation text; for kind alias: the aliased type
    decorators: tuple[str, ...] = ()   # text without "@": "property", "request_handler(operation='x')"
    flags: tuple[str, ...] = ()  # async generator abstract static classmethod property virtual override const template


class Field(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A field of a class, enum member or module variable, with what is known of its type."""

    owner: int           # scope of the class; -1 for a module variable
    name: str
    annotation: str = ""
    value: str = ""      # access path of the initial value
    text: str = ""       # source text of the initial value, at most 120 characters
    line: int = 0
    where: str = "class"  # class | init (self.x = … in __init__/__post_init__/constructor) | method | module | enum


class Bind(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A local name gets a value (assignment, for, with, except, walrus, comprehension).

    Names `return`, `yield` are results. Python: where a value says no more than `#list`, `#dict` or `sorted()`,
    further binds tell what it holds: `x[*]` its elements (a dict's keys), `x[]` a dict's values.
    """

    scope: int
    name: str
    value: str = ""      # access path
    annotation: str = ""
    line: int = 0


class Access(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A use of state. `target` is the whole access path of the state (`self.block.ref_cnt`, `self._map` for an insert).

    op: read write augment+ augment- augment insert remove clear. `x[k] = v` and `x.append(v)` are insert on path `x`
    (also `x[a][b] = v`: target `x[]`); `x[k] += 1` is augment+ on `x`; `self.f += [y]` and `self.f |= y` are insert.
    Container methods count by their name (insert/remove/clear tables in `survey/ops.py`), whatever the type.
    Reads are kept for attribute paths only, maximal ones, and not for callees.
    """

    scope: int
    target: str
    op: str
    line: int            # where the target is written
    last: int            # last line of the statement
    value: str = ""      # access path of the value stored / added / compared with, "" if none
    text: str = ""       # source text of the value (read in a test: the whole test), at most 160 characters
    test: bool = False   # a read inside the test of if/while/assert/ternary/comprehension-if, or in a comparison


class Arg(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An argument: keyword ("" if positional, "*" and "**" if unpacked), access path, text of at most 80 characters.

    The text of a string (`path` is #str) is without its quotes; an f-string keeps its holes in braces.
    """

    keyword: str
    path: str
    text: str = ""


class Call(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call. `callee` is the access path without the final `()`; C++ template arguments stay (`invoke_rpc<&C::m>`)."""

    scope: int
    callee: str
    line: int            # first line of the call expression (where its callee starts)
    last: int
    args: tuple[Arg, ...] = ()
    how: str = ""        # "" | await | with | decorator | new | statement (value not used)
    inside: int = 0      # line where the innermost lambda around it starts; 0 outside of lambdas


class Mark(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A statement rules may ask for: raise, except, return, yield, assert, break, continue, throw, catch, co_return."""

    scope: int
    kind: str
    line: int
    last: int
    text: str = ""       # the statement's head, at most 160 characters


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`from module import name as alias` (level = leading dots); `import module as alias` has name "".

    A C++ `#include` has its path as module.
    """

    scope: int
    alias: str           # local name bound; "*" for star imports
    module: str
    name: str
    level: int
    line: int


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All facts of one file, in source order. `problem` is why it could not be parsed ("" if it could)."""

    language: str        # python | cpp
    lines: int
    problem: str = ""
    imports: tuple[Import, ...] = ()
    definitions: tuple[Definition, ...] = ()
    fields: tuple[Field, ...] = ()
    binds: tuple[Bind, ...] = ()
    accesses: tuple[Access, ...] = ()
    calls: tuple[Call, ...] = ()
    marks: tuple[Mark, ...] = ()


class Outline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The first part of a file's facts: what it defines. Read where all files are asked, and nothing but this."""

    language: str
    lines: int
    problem: str = ""
    imports: msgspec.Raw = msgspec.Raw()
    definitions: tuple[Definition, ...] = ()
    fields: tuple[Field, ...] = ()
