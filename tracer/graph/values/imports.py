"""Imports: a module is run where it is first imported; names may come through packages, stars and each other."""

from __future__ import annotations

import ast

from tracer.errors import SourceParseError
from tracer.graph.values.domain import (
    NOTHING,
    UNKNOWN,
    Frame,
    Later,
    Module,
    Value,
    Values,
    constant,
    literals,
    one,
)
from tracer.graph.values.machine import Machine
from tracer.graph.values.shapes import number_lambdas


class Imports(Machine):
    """`load` and `bring`."""

    def load(self, name: str) -> Value:
        """Import a module, running it the first time; the packages around it first."""
        if name in self.modules:
            return self.modules[name]
        file = self.sources.find(name)
        if file is None:
            return self.outside(name)
        package, _, last = name.rpartition(".")
        above = self.load(package) if package else None
        if name in self.modules:
            return self.modules[name]
        folder = file.is_dir() or (file.stem == "__init__" and last != "__init__")
        module = self.modules[name] = Module(name, name if folder else package)
        main = file == self.sources.entry
        module.frame.fields["__name__"] = constant("__main__" if main else name)
        if not file.is_dir():
            try:
                tree = self.sources.parse(file)
            except SourceParseError as error:
                if main:
                    raise
                self.sources.unread[name] = str(error)
                tree = ast.Module([], [])
            self.lambdas.update(number_lambdas(tree))
            self._run(module, tree)
        if isinstance(above, Module) and above.frame.fields.get(last) is None:
            above.frame.fields[last] = one(module)
        return module

    def _run(self, module: Module, tree: ast.Module) -> None:
        mark = self.store.mark()
        self.importing.add(module)
        self.stack.append(module.frame)
        self.execute(tree.body, module.frame)
        self.stack.pop()
        self.importing.discard(module)
        self.store.keep(mark)

    def bring(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """An import statement."""
        if isinstance(node, ast.ImportFrom):
            self._from(node, frame)
            return
        for alias in node.names:
            inside = self.sources.resolve(alias.name)
            first, dot, rest = alias.name.partition(".")
            if inside is None:
                self.bind(alias.asname or first, one(self.outside(alias.name if alias.asname else first)), frame)
                continue
            module = self.load(inside)
            if alias.asname is None and dot:
                top = inside[: len(inside) - len(rest) - 1] if inside.endswith(f"{first}.{rest}") else ""
                module = self.load(top) if top else self.outside(first)
            self.bind(alias.asname or first, one(module), frame)

    def _from(self, node: ast.ImportFrom, frame: Frame) -> None:
        base = self._base(node, frame)
        inside = base if node.level else self.sources.resolve(base)
        module = self.load(inside) if inside and self.sources.find(inside) is not None else None
        if inside == "" and self.sources.find("__init__") is not None:
            module = self.load("__init__")
        for alias in node.names:
            if alias.name == "*":
                self._star(module, base, frame)
                continue
            values = self._member(module, inside or "", alias.name) if module or inside == "" else NOTHING
            if not values and not isinstance(module, Module):
                values = one(self.outside(f"{base}.{alias.name}" if base else alias.name))
            self.bind(alias.asname or alias.name, values or UNKNOWN, frame)

    def _base(self, node: ast.ImportFrom, frame: Frame) -> str:
        """The absolute name that a relative import starts from."""
        if not node.level or frame.module is None:
            return node.module or ""
        around = frame.module.package.split(".") if frame.module.package else []
        up = node.level - 1
        return ".".join([*around[: len(around) - up if up else None], *([node.module] if node.module else [])])

    def _member(self, module: Value | None, name: str, member: str) -> Values:
        if isinstance(module, Module):
            values = module.frame.fields.get(member)
            if values is not None:
                return values
        full = f"{name}.{member}" if name else member
        if self.sources.find(full) is not None:
            return one(self.load(full))
        if isinstance(module, Module):
            if module in self.importing:
                return one(self.value(("later", module, member), lambda: Later(module, member)))
            if len(module.frame.stars) == 1:
                return one(self.outside(f"{module.frame.stars[0]}.{member}"))
            return self.attribute(module, member, ("member", module), module.frame)
        return NOTHING

    def _star(self, module: Value | None, base: str, frame: Frame) -> None:
        if not isinstance(module, Module):
            frame.owner().stars.append(base)
            return
        names = [n for n in module.frame.fields if isinstance(n, str) and not n.startswith("_")]
        listed = self.iterate(module.frame.fields.get("__all__") or NOTHING, ("all", module), module.frame).each
        if listed is not None:
            names = [str(n) for values in listed for n in literals(values) or []]
        for name in names:
            values = self._member(module, module.name, name)
            if values:
                self.bind(name, values, frame)
        frame.owner().stars.extend(module.frame.stars)
