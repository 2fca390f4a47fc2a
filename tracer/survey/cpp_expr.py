"""Expressions of C++: takes expression nodes, makes accesses and calls, and hands on the parts still to be read.

Nothing here recurses: parts go on the stack that `cpp.py` empties. Refuses to know definitions; a bare name that may be a
member or a type is kept as a guess until the whole file is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tracer.survey.cpp_text import Spelling, clean_type, first, tight
from tracer.survey.facts import Access, Arg, Bind, Call
from tracer.survey.ops import op_of_method

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "<=>", "not_eq"})
_LOGIC = frozenset({"&&", "||", "and", "or"})
_SIGNS = {"+=": "augment+", "-=": "augment-", "++": "augment+", "--": "augment-"}
_OBSERVERS = frozenset({
    "load", "size", "empty", "count", "contains", "find", "at", "begin", "cbegin", "rbegin", "end", "front", "back", "top", "has_value",
    "value", "value_or", "get", "lower_bound", "upper_bound", "equal_range", "valid", "expired", "lock", "test", "wait", "wait_for",
    "wait_until", "length", "data", "use_count", "joinable", "load_acquire", "read_available", "capacity", "c_str",
})  # fmt: skip
_CONTAINERS = frozenset({
    "vector", "map", "set", "unordered_map", "unordered_set", "multimap", "multiset", "unordered_multimap", "deque", "list", "queue",
    "stack", "priority_queue", "string", "forward_list", "flat_hash_map", "flat_hash_set", "btree_map", "span", "string_view",
})  # fmt: skip
_SILENT = frozenset({  # written like calls, but they call nothing of interest
    "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "std::move", "std::forward", "std::get",
    "LOG", "VLOG", "DLOG", "DVLOG", "PLOG", "SYSLOG", "LOG_IF", "VLOG_IF", "DLOG_IF", "PLOG_IF", "LOG_EVERY_N", "VLOG_EVERY_N",
    "LOG_FIRST_N", "LOG_IF_EVERY_N", "LOG_EVERY_T", "DLOG_EVERY_N", "defined", "decltype", "typeid", "noexcept",
})  # fmt: skip
_CHECKS = ("CHECK", "DCHECK", "PCHECK", "TORCH_CHECK", "ASSERT", "assert", "EXPECT", "STD_TORCH_CHECK")
_TEXT = 160
_ARGUMENT = 80


class Frame:
    """The scope at hand: the file, a namespace, a class or a function."""

    __slots__ = ("bases", "index", "kind", "locals", "name", "space")

    def __init__(self, kind: str, index: int, name: str, space: str) -> None:
        self.kind = kind                    # module | class | enum | function
        self.index = index                  # scope of the facts
        self.name = name                    # full name, "" for the file
        self.space = space                  # of the namespace around it
        self.locals: dict[str, str] = {}    # local name → value | alias
        self.bases: tuple[str, ...] = ()


class Around:
    """What surrounds an expression: its frame, statement, and the test it stands in."""

    __slots__ = ("closure", "frame", "last", "test", "value")

    def __init__(self, frame: Frame, last: int, test: str = "", value: str = "", closure: bool = False) -> None:
        self.frame = frame
        self.last = last          # last line of the statement
        self.test = test          # text of the test, "" outside of one
        self.value = value        # path that the expression is compared with
        self.closure = closure    # in the body of a lambda

    def alone(self) -> Around:
        """The same, but compared with nothing."""
        return Around(self.frame, self.last, self.test, "", self.closure) if self.value else self


class Expressions(Spelling):
    """The part of the survey that reads expressions."""

    def __init__(self, code: bytes) -> None:
        super().__init__(code)
        self.stack: list[tuple[Node, Around]] = []
        self.accesses: list[Access] = []
        self.calls: list[Call] = []
        self.binds: list[Bind] = []
        self.guesses: dict[int, str] = {}  # index of an access → bare name that is a state only if the file says so
        self.on_expression: dict[str, Callable[[Node, Around], None]] = {
            "identifier": self._identifier,
            "qualified_identifier": self._qualified,
            "field_expression": self._member_read,
            "subscript_expression": self._subscript_read,
            "call_expression": self.call,
            "assignment_expression": self._assignment,
            "update_expression": self._update,
            "binary_expression": self._binary,
            "conditional_expression": self._conditional,
            "delete_expression": self._delete,
            "new_expression": self._new,
            "compound_literal_expression": self._literal,
            "initializer_pair": self._pair,
            "parenthesized_expression": self._through,
            "pointer_expression": self._through,
            "co_await_expression": self._await,
        }

    # -- handing on -----------------------------------------------------------------------------------------------
    def push(self, node: Node | None, around: Around) -> None:
        """Read `node` next."""
        if node is not None:
            self.stack.append((node, around))

    def push_children(self, node: Node | None, around: Around) -> None:
        """Read the named children of `node` next, in order."""
        if node is not None:
            self.stack += [(child, around) for child in reversed(node.named_children)]

    def push_test(self, node: Node | None, around: Around) -> None:
        """Read `node` next as the condition of a statement."""
        if node is not None:
            last = node.end_point[0] + 1
            text = self.line_text(node, _TEXT)
            if text[:1] == "(" and text[-1:] == ")" and node.type == "parenthesized_expression":
                text = text[1:-1].strip()
            self.stack.append((node, Around(around.frame, last, text or "?", "", around.closure)))

    def spine(self, node: Node | None, around: Around) -> None:
        """Read what is called and indexed along the spine of a path, but not the path itself."""
        while node is not None:
            kind = node.type
            if kind in ("identifier", "this", "qualified_identifier", "template_function"):
                return
            if kind == "subscript_expression":
                self.push_children(node.child_by_field_name("indices"), around)
            elif kind not in ("field_expression", "pointer_expression"):
                if kind == "parenthesized_expression":
                    node = first(node)
                    continue
                self.push(node, around)
                return
            node = node.child_by_field_name("argument")

    # -- states -----------------------------------------------------------------------------------------------------
    def access(self, node: Node, around: Around, target: str, op: str, value: str = "", text: str = "") -> None:
        """Note a change of state, or a read that is in a test if `around` says so."""
        if not target or "?" in target or target[0] in "#<" and "." not in target:
            return
        line = node.start_point[0] + 1
        test = op == "read" and bool(around.test)
        self.accesses.append(Access(around.frame.index, target, op, line, max(around.last, line), value, around.test if test else text, test))

    def is_state(self, path: str, around: Around, *, arrow: bool = False) -> bool:
        """Whether a changed path is a state: anything but a local held by value, and its plain elements."""
        if "." in path or path in ("this", "?") or "(" in path:
            return path != "this"
        known = around.frame.locals.get(path.partition("[")[0])
        return known is None or known == "alias" or arrow

    def read(self, node: Node, around: Around) -> None:
        """Note a read of a path that is already known to be a maximal one."""
        path = self.path(node)
        if "." in path:
            if path.startswith(("#", "?")):
                return
        elif not path.endswith("_") or path in around.frame.locals:
            return
        self.access(node, around, path, "read", around.value)

    def _identifier(self, node: Node, around: Around) -> None:
        name = self.text(node)
        if name in around.frame.locals:
            return
        if not name.endswith("_"):
            if name.isupper():
                return
            self.guesses[len(self.accesses)] = name
        self.access(node, around, name, "read", around.value)

    def _qualified(self, node: Node, around: Around) -> None:
        name = self.text(node)
        if name.endswith("_"):
            self.access(node, around, tight(name), "read", around.value)

    def _member_read(self, node: Node, around: Around) -> None:
        self.read(node, around)
        self.spine(node.child_by_field_name("argument"), around.alone())

    def _subscript_read(self, node: Node, around: Around) -> None:
        self.push_children(node.child_by_field_name("indices"), around.alone())
        self.push(node.child_by_field_name("argument"), around)

    def _through(self, node: Node, around: Around) -> None:
        inner = first(node)
        if inner is not None and inner.type == "qualified_identifier":
            return  # &Class::method
        self.push(inner, around)

    def _target(self, node: Node) -> tuple[str, bool, bool, Node]:
        """What an assignment changes: path, whether an element of it, whether through a pointer, the node of the path."""
        through = False
        while node.type in ("parenthesized_expression", "pointer_expression"):
            inner = first(node)
            if inner is None:
                break
            through = through or node.type == "pointer_expression"
            node = inner
        if node.type == "subscript_expression":
            base = node.child_by_field_name("argument")
            if base is not None:
                return self.path(base), True, through, node
        return self.path(node), False, through, node

    def _assignment(self, node: Node, around: Around) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            self.push_children(node, around)
            return
        path, element, through, target = self._target(left)
        self.push(right, around.alone())
        self.spine(target, around.alone())
        stored = right
        while stored.type == "assignment_expression":
            stored = stored.child_by_field_name("right") or stored
        values = [self.path(part) for part in self.parts(stored)]
        known = around.frame.locals.get(path.partition("[")[0]) if "." not in path else None
        if known is not None and known != "alias" and not through:
            if operator.type == "=" and not element:
                line = node.start_point[0] + 1
                self.binds += [Bind(around.frame.index, path, value, "", line) for value in values]
            return
        op = _SIGNS.get(operator.type) or ("augment" if operator.type != "=" else "insert" if element else "")
        if not op:
            op = "clear" if self._is_empty(stored) else self._sum(left, stored) or "write"
        text = self.line_text(stored, _TEXT)
        for value in dict.fromkeys(values):
            self.access(left, around, path, op, value, text)

    def _sum(self, left: Node, right: Node) -> str:
        """`x = x + n` raises, `x = x - n` lowers."""
        if right.type != "binary_expression":
            return ""
        operator = right.child_by_field_name("operator")
        first_, second = right.child_by_field_name("left"), right.child_by_field_name("right")
        if operator is None or first_ is None or second is None or operator.type not in ("+", "-"):
            return ""
        text = self.text(left)
        if self.text(first_) == text or operator.type == "+" and self.text(second) == text:
            return "augment" + operator.type
        return ""

    def _is_empty(self, node: Node) -> bool:
        """Whether an expression makes an empty container."""
        if node.type == "initializer_list":
            return first(node) is None
        if node.type == "call_expression":
            made, inside = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        elif node.type == "compound_literal_expression":
            made, inside = node.child_by_field_name("type"), node.child_by_field_name("value")
        else:
            return False
        if made is None or first(inside) is not None:
            return False
        name = tight(self.text(made)).partition("<")[0]
        return name.rsplit("::", 1)[-1] in _CONTAINERS or made.type == "decltype" or name.startswith("decltype(")

    def _update(self, node: Node, around: Around) -> None:
        argument = node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        if argument is None or operator is None:
            return
        path, _, through, target = self._target(argument)
        self.spine(target, around.alone())
        if through or self.is_state(path, around):
            self.access(argument, around, path, _SIGNS.get(operator.type, "augment"))

    def _delete(self, node: Node, around: Around) -> None:
        gone = first(node)
        if gone is not None:
            self.access(gone, around, self.path(gone), "remove", "", "delete")
            self.spine(gone, around.alone())

    def _binary(self, node: Node, around: Around) -> None:
        operator = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is None or left is None or right is None:
            self.push_children(node, around.alone())
        elif operator.type == ">" and self.misread(node, around):
            pass
        elif operator.type in _COMPARISONS:
            test = around.test or self.line_text(node, _TEXT)
            self.push(right, Around(around.frame, around.last, test, self.path(left), around.closure))
            self.push(left, Around(around.frame, around.last, test, self.path(right), around.closure))
        else:
            around = around.alone()
            self.push(right, around)
            self.push(left, around)

    def misread(self, node: Node, around: Around, how: str = "") -> bool:
        """`x.f<&C::m>(y)` parses as two comparisons: reads it as the call that it is."""
        right, inner = node.child_by_field_name("right"), node.child_by_field_name("left")
        if right is None or inner is None or right.type != "parenthesized_expression" or inner.type != "binary_expression":
            return False
        function, template = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if function is None or template is None or template.type != "pointer_expression" or not self.text(inner)[:-1].count("<"):
            return False
        if function.type == "co_await_expression":
            function, how = function.child_by_field_name("argument") or function, "await"
        if function.type != "field_expression" or not self.text(template).startswith("&"):
            return False
        callee = f"{self.callee(function)}<{tight(self.text(template))}>"
        line, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.calls.append(Call(around.frame.index, callee, line, last, self.args(right), how))
        self.push_children(right, around.alone())
        self.spine(function.child_by_field_name("argument"), around.alone())
        return True

    def _conditional(self, node: Node, around: Around) -> None:
        self.push(node.child_by_field_name("alternative"), around.alone())
        self.push(node.child_by_field_name("consequence"), around.alone())
        condition = node.child_by_field_name("condition")
        if condition is not None:
            test = around.test or self.line_text(condition, _TEXT)
            self.push(condition, Around(around.frame, around.last, test, "", around.closure))

    # -- calls --------------------------------------------------------------------------------------------------------
    def _await(self, node: Node, around: Around) -> None:
        argument = node.child_by_field_name("argument") or first(node)
        if argument is not None and argument.type == "call_expression":
            self.call(argument, around, "await")
        else:
            self.push(argument, around)

    def call(self, node: Node, around: Around, how: str = "") -> None:
        """A call: the fact, what it does to the state it is called on, and its parts."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            self.push_children(node, around)
            return
        if function.type == "field_expression":
            self._method(node, function, arguments, around, how)
            return
        name = self.callee(function)
        base = name.partition("<")[0]
        if base in _SILENT:
            self.push_children(arguments, around.alone())
            return
        self.calls.append(Call(around.frame.index, name, node.start_point[0] + 1, node.end_point[0] + 1, self.args(arguments), how))
        if base.startswith(_CHECKS):
            around = Around(around.frame, around.last, around.test or self.line_text(node, _TEXT), "", around.closure)
        elif base in ("std::swap", "swap", "std::exchange", "exchange") and arguments.named_child_count == 2:
            self._swap(base, arguments, around)
            return
        self.push_children(arguments, around.alone())
        if function.type not in ("identifier", "qualified_identifier", "template_function", "primitive_type"):
            self.push(function, around.alone())

    def _method(self, node: Node, function: Node, arguments: Node, around: Around, how: str) -> None:
        receiver, field = function.child_by_field_name("argument"), function.child_by_field_name("field")
        if receiver is None or field is None:
            self.push_children(node, around)
            return
        chained = receiver.type == "call_expression"
        line = (field if chained else node).start_point[0] + 1
        callee = (chained and self.chain_root(node, function)) or self.callee(function)
        self.calls.append(Call(around.frame.index, callee, line, node.end_point[0] + 1, self.args(arguments), how))
        name = self.member(field)
        op = op_of_method(name, cpp=True) or ("write" if name == "reset" else "")
        if name != "swap":
            self.push_children(arguments, around.alone())
        if not op and name in _OBSERVERS:
            self.push(receiver, around)
            return
        self.spine(receiver, around.alone())
        if not op:
            return
        path = self.path(receiver)
        dash = function.child_by_field_name("operator")
        if self.is_state(path, around, arrow=dash is not None and dash.type == "->"):
            stored = arguments.named_children
            wanted = stored[0] if op == "remove" and stored else stored[-1] if stored else None
            text = f"{name}()" if name == "reset" else self.line_text(arguments, _TEXT + 2)[1:-1] if stored else ""
            self.access(receiver, around, path, op, self.path(wanted) if wanted is not None else "", text[:_TEXT])
            if name == "swap" and wanted is not None:
                self.spine(wanted, around.alone())
                self._cleared(wanted, around, path)

    def _swap(self, base: str, arguments: Node, around: Around) -> None:
        """`swap(a, b)` clears both, `exchange(a, v)` writes `a`."""
        state, other = arguments.named_children
        self.spine(state, around.alone())
        if base.endswith("swap"):
            self.spine(other, around.alone())
            self._cleared(state, around, self.path(other))
            self._cleared(other, around, self.path(state))
            return
        self.push(other, around.alone())
        path = self.path(state)
        if self.is_state(path, around):
            op = "clear" if self._is_empty(other) else "write"
            self.access(state, around, path, op, self.path(other), self.line_text(other, _TEXT))

    def _cleared(self, node: Node, around: Around, other: str) -> None:
        path = self.path(node)
        if self.is_state(path, around) and not path.endswith("()"):
            self.access(node, around, path, "clear", other, other)

    def args(self, arguments: Node | None) -> tuple[Arg, ...]:
        """The arguments of a call or initializer list."""
        if arguments is None or not arguments.named_child_count:
            return ()
        return tuple([self._arg(child) for child in arguments.named_children if child.type != "comment"])

    def _arg(self, node: Node) -> Arg:
        kind = node.type
        if kind == "string_literal":
            return Arg("", "#str", self.text(node)[1:-1][:_ARGUMENT])
        if kind == "initializer_pair":
            name, value = node.child_by_field_name("designator"), node.child_by_field_name("value")
            return Arg(self.text(name).lstrip(".") if name is not None else "", self.path(value), self.line_text(value or node, _ARGUMENT))
        return Arg("", self.path(node), self.line_text(node, _ARGUMENT))

    def _new(self, node: Node, around: Around) -> None:
        made, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
        self.made(node, around, clean_type(self.text(made)) if made is not None else "", arguments, "new")
        self.push_children(arguments, around.alone())

    def _literal(self, node: Node, around: Around) -> None:
        made, inside = node.child_by_field_name("type"), node.child_by_field_name("value")
        self.made(node, around, self.type_of(made), inside, "")
        self.push_children(inside, around.alone())

    def made(self, node: Node, around: Around, type_: str, arguments: Node | None, how: str) -> None:
        """A constructor's call."""
        if type_:
            self.calls.append(Call(around.frame.index, type_, node.start_point[0] + 1, node.end_point[0] + 1, self.args(arguments), how))

    def _pair(self, node: Node, around: Around) -> None:
        self.push(node.child_by_field_name("value"), around)
