"""Calls of C++: takes call, constructor and `new` nodes, makes calls, and what a call does to the state it is made on.

Container methods, atomics (methods, compiler built-ins, CUDA's) and swaps change state. Refuses to know who is called.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tracer.survey.cpp_expr import TEXT, Around, States
from tracer.survey.cpp_text import clean_type, first, pair, tight
from tracer.survey.facts import Arg, Call
from tracer.survey.ops import op_of_method

if TYPE_CHECKING:
    from tree_sitter import Node

_OBSERVERS = frozenset({
    "load", "size", "empty", "count", "contains", "find", "at", "begin", "cbegin", "rbegin", "end", "front", "back",
    "top", "has_value", "value", "value_or", "get", "lower_bound", "upper_bound", "equal_range", "valid", "expired",
    "lock", "test", "wait", "wait_for", "wait_until", "length", "data", "use_count", "joinable", "read_available",
    "capacity", "c_str",
})  # fmt: skip
_SILENT = frozenset({  # written like calls, but they call nothing of interest
    "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "std::move", "std::forward", "std::get", "LOG",
    "VLOG", "DLOG", "DVLOG", "PLOG", "SYSLOG", "LOG_IF", "VLOG_IF", "DLOG_IF", "PLOG_IF", "LOG_EVERY_N",
    "VLOG_EVERY_N", "LOG_FIRST_N", "LOG_IF_EVERY_N", "LOG_EVERY_T", "DLOG_EVERY_N", "defined", "decltype", "typeid",
    "noexcept",
})  # fmt: skip
_CHECKS = ("CHECK", "DCHECK", "PCHECK", "TORCH_CHECK", "STD_TORCH_CHECK", "ASSERT", "assert", "EXPECT")
_ATOMIC = re.compile(r"(?:__atomic_|__sync_|(?:std::)?atomic_|__iAtomic|atomic(?=[A-Z]))(\w+?)(?:_explicit|_n)?\Z")
_ATOMIC_OPS = (
    ("fence", ""), ("synchronize", ""), ("thread", ""), ("init", "write"), ("load", "read"), ("store", "write"),
    ("xch", "write"), ("xchange", "write"), ("cas", "write"), ("compare", "write"), ("release", "write"),
    ("test_and_set", "write"), ("sub", "augment-"), ("dec", "augment-"), ("add", "augment+"), ("inc", "augment+"),
    ("and", "augment"), ("or", "augment"), ("max", "augment"), ("min", "augment"),
)  # fmt: skip
_PLAIN = frozenset({"identifier", "qualified_identifier", "template_function", "primitive_type"})
_LITERALS = frozenset({"number_literal", "true", "false", "null", "this", "char_literal", "raw_string_literal"})
_ARGUMENT = 80


def atomic_op(name: str) -> str:
    """The access op of an atomic function of this name, "" if it is none."""
    found = _ATOMIC.match(name)
    if found is None:
        return ""
    word = found[1].lower()
    return next((op for part, op in _ATOMIC_OPS if part in word), "")


class Calls(States):
    """The part of the survey that reads calls."""

    def on_await(self, node: Node, around: Around) -> None:
        """`co_await f()`."""
        argument = node.child_by_field_name("argument") or first(node)
        if argument is not None and argument.type == "call_expression":
            self.call(argument, around, "await")
        else:
            self.push(argument, around)

    def note_call(
        self, node: Node, around: Around, callee: str, args: tuple[Arg, ...], how: str, line: int = 0
    ) -> None:
        """Add the fact of a call."""
        last = node.end_point[0] + 1
        line = line or node.start_point[0] + 1
        self.calls.append(Call(around.frame.index, callee, line, last, args, how, around.closure))

    def call(self, node: Node, around: Around, how: str = "") -> None:
        """A call: the fact, what it does to the state it is called on, and its parts."""
        function, arguments = pair(node, "function", "arguments")
        if function is None or arguments is None:
            self.push_children(node, around)
            return
        if around.value and function.type != "field_expression":
            around = around.alone()
        if function.type == "field_expression":
            self._method(node, function, arguments, around, how)
            return
        name = self.callee(function)
        base = name.partition("<")[0]
        if base in _SILENT:
            self.push_children(arguments, around)
            return
        if base in ("std::swap", "swap", "std::exchange", "exchange") and arguments.named_child_count == 2:
            self.note_call(node, around, name, self._quiet_args(arguments), how)
            self._swap(base, arguments, around)
            return
        op = atomic_op(base) if "tomic" in base or "__sync" in base else ""
        if op and arguments.named_child_count:
            self.note_call(node, around, name, self._quiet_args(arguments), how)
            self._atomic(op, arguments, around)
            return
        inside = around.tested(self.line_text(node, TEXT)) if base.startswith(_CHECKS) else around
        self.note_call(node, around, name, self.args(arguments, inside), how)
        if function.type not in _PLAIN:
            self.push(function, around)

    def _method(self, node: Node, function: Node, arguments: Node, around: Around, how: str) -> None:
        receiver, field = pair(function, "argument", "field")
        if receiver is None or field is None:
            self.push_children(node, around)
            return
        alone = around.alone()
        line, callee = 0, ""
        if receiver.type == "call_expression":
            line, callee = field.start_point[0] + 1, self.chain_root(node)
        plain = field.type == "field_identifier"
        name = self.source[field.start_byte : field.end_byte] if plain else self.member(field)
        path = self.path(receiver)
        callee = callee or (f"{path}.{name}" if plain else self.callee(function))
        args = self._quiet_args(arguments) if name == "swap" else self.args(arguments, alone)
        self.note_call(node, around, callee, args, how, line)
        op = op_of_method(name, cpp=True) or ("write" if name == "reset" else "")
        if not op and name in _OBSERVERS:
            self.push(receiver, around)
            return
        if receiver.type not in ("identifier", "this"):
            self.spine(receiver, alone)
        if not op:
            return
        if self.is_state(path, around, arrow=self.source.startswith("->", receiver.end_byte)):
            value = args[0 if op == "remove" else -1].path if args else ""
            text = f"{name}()" if name == "reset" else self.line_text(arguments, TEXT + 2)[1:-1] if args else ""
            self.access(receiver, around, path, op, value, text.strip()[:TEXT])
            if name == "swap" and args:
                other = first(arguments)
                self.spine(other, alone)
                self._cleared(other, around, path)

    def misread(self, node: Node, around: Around, how: str = "") -> bool:
        """`x.f<&C::m>(y)` parses as two comparisons: reads it as the call that it is."""
        inner, right = pair(node, "left", "right")
        if inner is None or right is None or inner.type != "binary_expression":
            return False
        if right.type != "parenthesized_expression":
            return False
        function, template = pair(inner, "left", "right")
        if function is None or template is None or template.type != "pointer_expression":
            return False
        if function.type == "co_await_expression":
            function, how = function.child_by_field_name("argument") or function, "await"
        if function.type != "field_expression" or not self.source.startswith("<", function.end_byte):
            return False
        callee = f"{self.callee(function)}<{tight(self.text(template))}>"
        self.note_call(node, around, callee, self.args(right, around.alone()), how)
        self.spine(function.child(0), around.alone())
        return True

    # -- functions that change a state --------------------------------------------------------------------------------
    def _swap(self, base: str, arguments: Node, around: Around) -> None:
        """`swap(a, b)` clears both, `exchange(a, v)` writes `a`."""
        state, other = arguments.named_children
        self.spine(state, around)
        if base.endswith("swap"):
            self.spine(other, around)
            self._cleared(state, around, self.path(other))
            self._cleared(other, around, self.path(state))
            return
        self.push(other, around)
        path = self.path(state)
        if self.is_state(path, around):
            op = "clear" if self.is_empty(other) else "write"
            self.access(state, around, path, op, self.path(other), self.line_text(other, TEXT))

    def _cleared(self, node: Node | None, around: Around, other: str) -> None:
        path = self.path(node)
        if node is not None and self.is_state(path, around) and not path.endswith("()"):
            self.access(node, around, path, "clear", other, other)

    def _atomic(self, op: str, arguments: Node, around: Around) -> None:
        """`__atomic_fetch_add(&x, n, …)` and its like."""
        state, *others = [child for child in arguments.named_children if child.type != "comment"]
        path, _, through, target = self.target_of(state)
        self.spine(target, around)
        self.stack += [(other, around) for other in reversed(others)]
        if through and state.child(0) is not None and self.source.startswith("&", state.start_byte):
            through = False
        if through or self.is_state(path, around, arrow=not self.source.startswith("&", state.start_byte)):
            value, text = (self.path(others[0]), self.line_text(others[0], TEXT)) if others else ("", "")
            self.access(state, around, path, op, "" if op == "read" else value, "" if op == "read" else text)

    # -- arguments ----------------------------------------------------------------------------------------------------
    def args(self, arguments: Node | None, around: Around) -> tuple[Arg, ...]:
        """The arguments of a call or initializer list, which are read next."""
        if arguments is None or not arguments.named_child_count:
            return ()
        found: list[Arg] = []
        later: list[tuple[Node, Around]] = []
        for child in arguments.named_children:
            kind = child.type
            if kind == "identifier":
                name = self.source[child.start_byte : child.end_byte]
                found.append(Arg("", name, name[:_ARGUMENT]))
                self.bare(name, child, around)
            elif kind == "field_expression":
                path = self.path(child)
                found.append(Arg("", path, self.line_text(child, _ARGUMENT)))
                self.member_read(path, child, around)
            elif kind != "comment":
                found.append(self._arg(child, kind))
                if kind not in _LITERALS and kind != "string_literal":
                    later.append((child, around))
        later.reverse()
        self.stack += later
        return tuple(found)

    def _quiet_args(self, arguments: Node) -> tuple[Arg, ...]:
        """The arguments, without reading them."""
        return tuple([self._arg(child, child.type) for child in arguments.named_children if child.type != "comment"])

    def _arg(self, node: Node, kind: str) -> Arg:
        if kind == "string_literal":
            return Arg("", "#str", self.text(node)[1:-1][:_ARGUMENT])
        if kind == "initializer_pair":
            name, value = node.child_by_field_name("designator"), node.child_by_field_name("value")
            keyword = self.text(name).lstrip(".") if name is not None else ""
            return Arg(keyword, self.path(value), self.line_text(value or node, _ARGUMENT))
        return Arg("", self.path(node), self.line_text(node, _ARGUMENT))

    # -- constructors -------------------------------------------------------------------------------------------------
    def on_new(self, node: Node, around: Around) -> None:
        """`new T(…)`."""
        made, arguments = node.child_by_field_name("type"), node.child_by_field_name("arguments")
        type_ = clean_type(self.text(made)) if made is not None else ""
        args = self.args(arguments, around.alone())
        if made is not None and made.type not in ("primitive_type", "sized_type_specifier"):
            self.note_call(node, around, type_, args, "new")

    def on_literal(self, node: Node, around: Around) -> None:
        """`T{…}`."""
        made, inside = pair(node, "type", "value")
        self.note_call(node, around, self.type_of(made), self.args(inside, around.alone()), "")

    def on_pair(self, node: Node, around: Around) -> None:
        """`.a = b` in an initializer list."""
        self.push(node.child_by_field_name("value"), around)
