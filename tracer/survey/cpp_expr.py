"""Uses of state in C++: takes expression nodes, makes accesses, and hands on the parts still to be read.

Nothing here recurses: parts go on the stack that `cpp.py` empties. A bare name that may be a member, a type or a
constant is kept as a guess until the whole file is known. Refuses to know calls and definitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.survey.cpp_text import Spelling, first, pair, tight, triple
from tracer.survey.facts import Access, Bind, Call

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "<=>", "not_eq"})
_SIGNS = {"+=": "augment+", "-=": "augment-", "++": "augment+", "--": "augment-"}
_CONTAINERS = frozenset({
    "vector", "map", "set", "unordered_map", "unordered_set", "multimap", "multiset", "unordered_multimap", "deque",
    "list", "queue", "stack", "priority_queue", "string", "forward_list", "flat_hash_map", "flat_hash_set", "btree_map",
    "span", "string_view",
})  # fmt: skip
_ENDS = frozenset({"identifier", "this", "qualified_identifier", "template_function"})  # of a spine: nothing to read
TEXT = 160
_DEEPEST_CHAIN = 20  # of `a = b = c`


class Frame:
    """The scope at hand: the file or a namespace, a class, or a function."""

    __slots__ = ("index", "kind", "locals", "name", "space")

    def __init__(self, kind: str, index: int, name: str, space: str) -> None:
        self.kind = kind  # module | class | function
        self.index = index  # scope of the facts
        self.name = name  # full name, "" for the file
        self.space = space  # full name of the namespace around it
        self.locals: dict[str, str] = {}  # local name → "value", or "alias" if it can stand for a state


class Around:
    """What surrounds an expression: its frame, its statement, the test it stands in."""

    __slots__ = ("closure", "frame", "last", "test", "value")

    def __init__(self, frame: Frame, last: int, test: str = "", value: str = "", closure: int = 0) -> None:
        self.frame = frame
        self.last = last  # last line of the statement
        self.test = test  # text of the test, "" outside of one
        self.value = value  # path that the expression is compared with
        self.closure = closure  # line of the lambda whose body this is, 0 outside

    def statement(self, last: int) -> Around:
        """A statement that ends in line `last`."""
        return Around(self.frame, last, "", "", self.closure)

    def alone(self) -> Around:
        """The same, but compared with nothing."""
        return Around(self.frame, self.last, self.test, "", self.closure) if self.value else self

    def tested(self, test: str, value: str = "") -> Around:
        """The same, inside a test (the outermost one counts), compared with `value`."""
        return Around(self.frame, self.last, self.test or test, value, self.closure)


class States(Spelling):
    """The part of the survey that reads uses of state."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.stack: list[tuple[Node, Around]] = []
        self.accesses: list[Access] = []
        self.binds: list[Bind] = []
        self.calls: list[Call] = []
        self.guesses: dict[int, str] = {}  # index of a read → bare name that is a state only if the file says so

    # -- handing on ---------------------------------------------------------------------------------------------------
    def push(self, node: Node | None, around: Around) -> None:
        """Read `node` next."""
        if node is not None:
            self.stack.append((node, around))

    def push_children(self, node: Node | None, around: Around) -> None:
        """Read the named children of `node` next, in order."""
        if node is not None and node.named_child_count:
            self.stack += [(child, around) for child in reversed(node.named_children)]

    def push_test(self, node: Node | None, around: Around) -> None:
        """Read `node` next as the condition of a statement."""
        if node is not None:
            text = self.line_text(node, TEXT)
            if text[:1] == "(" and text[-1:] == ")" and node.type == "parenthesized_expression":
                text = text[1:-1].strip()
            self.stack.append((node, around.statement(node.end_point[0] + 1).tested(text or "?")))

    def spine(self, node: Node | None, around: Around) -> None:
        """Read what is called and indexed along the spine of a path, but not the path itself."""
        while node is not None:
            kind = node.type
            if kind in _ENDS:
                return
            if kind == "field_expression":
                node = node.child(0)
            elif kind == "parenthesized_expression":
                node = first(node)
            elif kind == "pointer_expression":
                node = node.child_by_field_name("argument")
            elif kind == "subscript_expression":
                node, indices = pair(node, "argument", "indices")
                self.push_children(indices, around)
            else:
                self.push(node, around)
                return

    # -- states -------------------------------------------------------------------------------------------------------
    def access(self, node: Node, around: Around, target: str, op: str, value: str = "", text: str = "") -> None:
        """Note a change of state, or a read that is in a test if `around` says so."""
        if not target or "?" in target or "|" in target or (target[0] in "#<" and "." not in target):
            return  # with "|", two comparisons that look like template arguments
        line = node.start_point[0] + 1
        last = around.last if around.last > line else line
        if op == "read" and around.test:
            self.accesses.append(Access(around.frame.index, target, op, line, last, value, around.test, True))
        else:
            self.accesses.append(Access(around.frame.index, target, op, line, last, value, text))

    def is_state(self, path: str, around: Around, *, arrow: bool = False) -> bool:
        """Whether a changed path is a state: anything but a local held by value, and its plain elements."""
        if "." in path or "(" in path or path in ("this", "?"):
            return path != "this"
        known = around.frame.locals.get(path.partition("[")[0])
        return known is None or known == "alias" or arrow

    def on_identifier(self, node: Node, around: Around) -> None:
        """A bare name."""
        self.bare(self.source[node.start_byte : node.end_byte], node, around)

    def bare(self, name: str, node: Node, around: Around) -> None:
        """A bare name is read: a local says nothing, `f_` is a member, others are guesses."""
        if name in around.frame.locals:
            return
        if name[-1:] != "_":
            if name.isupper():
                return
            self.guesses[len(self.accesses)] = name
        self.access(node, around, name, "read", around.value)

    def on_qualified(self, node: Node, around: Around) -> None:
        """`ns::x_`: a static member or a global; other qualified names are constants and types."""
        name = self.text(node)
        if name.endswith("_"):
            self.access(node, around, tight(name), "read", around.value)

    def on_member_read(self, node: Node, around: Around) -> None:
        """`a.b`, `a->b`: the maximal path is read."""
        self.member_read(self.path(node), node, around)

    def member_read(self, path: str, node: Node, around: Around) -> None:
        """`a.b` is read, whose path is known."""
        if path[0] != "#":
            self.access(node, around, path, "read", around.value)
        base = node.child(0)
        if base is not None and base.type not in _ENDS:
            self.spine(base, around.alone())

    def on_subscripted(self, node: Node, around: Around) -> None:
        """`a[k]`: `a` is read."""
        base, indices = pair(node, "argument", "indices")
        self.push_children(indices, around.alone())
        self.push(base, around)

    def on_through(self, node: Node, around: Around) -> None:
        """`(a)`, `*a`, `&a`: as `a`."""
        inner = first(node)
        if inner is not None and inner.type != "qualified_identifier":  # &Class::method
            self.stack.append((inner, around))

    # -- changes ------------------------------------------------------------------------------------------------------
    def target_of(self, node: Node) -> tuple[str, bool, bool, Node]:
        """What an assignment changes: path, whether an element of it, whether through a pointer, the path's node."""
        through = False
        while node.type in ("parenthesized_expression", "pointer_expression"):
            inner = first(node)
            if inner is None:
                break
            through = through or node.type == "pointer_expression"
            node = inner
        if node.type == "subscript_expression":
            return self.path(pair(node, "argument", "indices")[0]), True, through, node
        return self.path(node), False, through, node

    def on_assignment(self, node: Node, around: Around) -> None:
        """`a = b`, `a += b`: a change of state, or a local's new value."""
        left, operator, right = triple(node)
        if left is None or right is None or operator is None:
            self.push_children(node, around)
            return
        around = around.alone()
        path, element, through, target = self.target_of(left)
        self.push(right, around)
        self.spine(target, around)
        stored = right
        for _ in range(_DEEPEST_CHAIN):
            if stored.type != "assignment_expression":
                break
            stored = stored.child_by_field_name("right") or stored
        values = list(dict.fromkeys([self.path(part) for part in self.alternatives(stored)]))
        sign = operator.type
        if not through and "." not in path and around.frame.locals.get(path) == "value":
            if sign == "=" and not element:
                line = node.start_point[0] + 1
                self.binds += [Bind(around.frame.index, path, value, "", line) for value in values]
            return
        if not through and not self.is_state(path, around):
            return
        if sign != "=":
            op = _SIGNS.get(sign, "augment")
        elif element:
            op = "insert"
        else:
            op = "clear" if self.is_empty(stored) else self._sum(left, stored) or "write"
        text = self.line_text(stored, TEXT)
        for value in values:
            self.access(left, around, path, op, value, text)

    def _sum(self, left: Node, right: Node) -> str:
        """`x = x + n` raises, `x = x - n` lowers."""
        if right.type != "binary_expression" or right.child_count != 3:
            return ""
        one, operator, other = right.children
        if operator.type not in ("+", "-"):
            return ""
        text = self.text(left)
        if self.text(one) == text or (operator.type == "+" and self.text(other) == text):
            return "augment" + operator.type
        return ""

    def is_empty(self, node: Node) -> bool:
        """Whether an expression makes an empty container."""
        if node.type == "initializer_list":
            return first(node) is None
        if node.type not in ("call_expression", "compound_literal_expression"):
            return False
        made, inside = pair(node, "type", "value")
        if made is None or inside is None or first(inside) is not None:
            return False
        name = tight(self.text(made)).partition("<")[0]
        return name.rsplit("::", 1)[-1] in _CONTAINERS or name.startswith("decltype(")

    def on_update(self, node: Node, around: Around) -> None:
        """`++a`, `a--`."""
        argument = node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        if argument is None or operator is None:
            return
        path, _, through, target = self.target_of(argument)
        self.spine(target, around.alone())
        if through or self.is_state(path, around):
            self.access(argument, around, path, _SIGNS.get(operator.type, "augment"))

    def on_delete(self, node: Node, around: Around) -> None:
        """`delete a`."""
        gone = first(node)
        if gone is not None:
            self.access(gone, around, self.path(gone), "remove", "", "delete")
            self.spine(gone, around.alone())

    # -- tests --------------------------------------------------------------------------------------------------------
    def on_binary(self, node: Node, around: Around) -> None:
        """An operator with two sides: a comparison is a test of both."""
        left, operator, right = triple(node)
        if operator is None or left is None or right is None:
            self.push_children(node, around.alone())
            return
        sign = operator.type
        if sign not in _COMPARISONS:
            around = around.alone()
            self.stack += ((right, around), (left, around))
        elif sign != ">" or not self.misread(node, around):
            test = around.test or self.line_text(node, TEXT)
            self.stack += (
                (right, around.tested(test, self.path(left))),
                (left, around.tested(test, self.path(right))),
            )

    def misread(self, node: Node, around: Around, how: str = "") -> bool:  # noqa: ARG002
        """Whether a comparison is a call that the parser took for one; `cpp_calls.py` knows which."""
        return False

    def on_conditional(self, node: Node, around: Around) -> None:
        """`c ? a : b`: `c` is a test."""
        around = around.alone()
        self.push(node.child_by_field_name("alternative"), around)
        self.push(node.child_by_field_name("consequence"), around)
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.stack.append((condition, around.tested(around.test or self.line_text(condition, TEXT))))
