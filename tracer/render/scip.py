"""Sites as a SCIP index: places of roles as occurrences, so that a code browser finds every place of a role.

Takes traces and the trees they speak of; gives the index's bytes. No package has SCIP's messages for Python, so the few
that are used are described here by their public field numbers, and protobuf does the rest. One symbol is one rule's
action (`publish/commit/` and the rule's name); its documentation says why a place plays the role.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tracer import __version__
from tracer.model import EngineRevision, Site, SourceTree, Trace, lines_of
from tracer.render.grouping import short_symbol, site_key

_UTF8, _UTF32, _INFORMATION = 1, 3, 3
_MANY = "repeated"
# message → field → (number, type, repeated?); as in the public scip.proto
_MESSAGES: Mapping[str, Mapping[str, tuple[int, str, str]]] = {
    "ToolInfo": {"name": (1, "string", ""), "version": (2, "string", "")},
    "Metadata": {
        "tool_info": (2, "ToolInfo", ""),
        "project_root": (3, "string", ""),
        "text_document_encoding": (4, "int32", ""),
    },
    "Diagnostic": {
        "severity": (1, "int32", ""),
        "code": (2, "string", ""),
        "message": (3, "string", ""),
        "source": (4, "string", ""),
    },
    "Occurrence": {
        "range": (1, "int32", _MANY),
        "symbol": (2, "string", ""),
        "symbol_roles": (3, "int32", ""),
        "diagnostics": (6, "Diagnostic", _MANY),
    },
    "SymbolInformation": {"symbol": (1, "string", ""), "documentation": (3, "string", _MANY)},
    "Document": {
        "relative_path": (1, "string", ""),
        "occurrences": (2, "Occurrence", _MANY),
        "language": (4, "string", ""),
        "position_encoding": (6, "int32", ""),
    },
    "Index": {
        "metadata": (1, "Metadata", ""),
        "documents": (2, "Document", _MANY),
        "external_symbols": (3, "SymbolInformation", _MANY),
    },
}
_TEST = 0x20  # SymbolRole
_LANGUAGES = {"py": "Python", "pyi": "Python", "cu": "CUDA", "cuh": "CUDA"}


@lru_cache
def _types() -> dict[str, Callable[..., Any]]:
    """The classes of the messages."""
    file = descriptor_pb2.FileDescriptorProto(name="tracer/scip.proto", package="scip", syntax="proto3")
    field = descriptor_pb2.FieldDescriptorProto
    plain = {"string": field.TYPE_STRING, "int32": field.TYPE_INT32}
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for key, (number, kind, many) in fields.items():
            made = message.field.add(name=key, number=number)
            made.label = field.LABEL_REPEATED if many else field.LABEL_OPTIONAL
            made.type = plain.get(kind, field.TYPE_MESSAGE)
            if kind not in plain:
                made.type_name = f".scip.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {n: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"scip.{n}")) for n in _MESSAGES}


def index(traces: Sequence[Trace], trees: Sequence[SourceTree]) -> bytes:
    """The index of all sites; `trees` has the tree of each trace. The same input gives the same bytes."""
    types = _types()
    root = f"file:///{traces[0].engines[0].name}" if len(traces) == 1 else "file:///"
    tool = types["ToolInfo"](name="tracer", version=__version__)
    made = types["Index"](metadata=types["Metadata"](tool_info=tool, project_root=root, text_document_encoding=_UTF8))
    texts: dict[str, str] = {}
    for trace, tree in zip(traces, trees, strict=True):
        files: dict[str, list[Site]] = {}
        for site in sorted(trace.sites, key=site_key):
            files.setdefault(site.file, []).append(site)
            texts.setdefault(symbol_of(site, trace.engines[0]), site.why)
        for path in sorted(files):
            occurrences = _occurrences(files[path], lines_of(tree.read(path)), trace.engines[0])
            language = _LANGUAGES.get(path.rsplit(".", 1)[-1], "CPP")
            document = types["Document"](relative_path=path, language=language, position_encoding=_UTF32)
            document.occurrences.extend(occurrences)
            made.documents.append(document)
    for symbol, why in sorted(texts.items()):
        made.external_symbols.append(types["SymbolInformation"](symbol=symbol, documentation=[why] if why else []))
    return bytes(made.SerializeToString(deterministic=True))


def _occurrences(sites: Sequence[Site], lines: Sequence[str], engine: EngineRevision) -> Iterator[Any]:
    types = _types()
    for s in sorted(sites, key=lambda s: (s.first, s.last, s.rule, s.action)):
        text = lines[s.first - 1]
        start, end = len(text) - len(text.lstrip()), len(lines[s.last - 1].rstrip())
        said = f"{s.role} {s.action} ({s.layer}) in {short_symbol(s.symbol)} [{s.basis}]"
        told = types["Diagnostic"](severity=_INFORMATION, code=s.rule, message=said, source="tracer")
        span = [s.first - 1, start, end] if s.first == s.last else [s.first - 1, start, s.last - 1, end]
        roles = _TEST if s.context == "test" else 0
        yield types["Occurrence"](range=span, symbol=symbol_of(s, engine), symbol_roles=roles, diagnostics=[told])


def symbol_of(site: Site, engine: EngineRevision) -> str:
    """The SCIP symbol of a rule's action in an engine's version."""
    package = " ".join(part.replace(" ", "  ") for part in (engine.name, engine.version))
    return f"tracer . {package} {_name(site.role)}/{_name(site.action)}/{_name(site.rule)}."


def _name(text: str) -> str:
    return text if re.fullmatch(r"[\w+$-]+", text, re.ASCII) else f"`{text.replace('`', '``')}`"


def parsed(data: bytes) -> Iterator[tuple[str, int, int, str, str]]:
    """(file, first line, last line, symbol, what is said) of every occurrence; `DecodeError` for other bytes."""
    made = _types()["Index"]()
    made.ParseFromString(data)
    for document in made.documents:
        for o in document.occurrences:
            span = list(o.range)
            first, last = (span[0], span[2] if len(span) == 4 else span[0]) if len(span) in (3, 4) else (0, 0)
            yield document.relative_path, first + 1, last + 1, o.symbol, next((d.message for d in o.diagnostics), "")
