"""The reference page: one HTML document rendered from the OpenAPI document, searchable, without foreign scripts."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from typing import Any

Json = Mapping[str, Any]

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;color:#1b1f24;background:#fff}
h1{font-size:1.6rem}h2{margin-top:2.5rem;border-bottom:1px solid #d8dee4}
code,pre{font:14px/1.45 ui-monospace,monospace}
pre{white-space:pre-wrap;background:#f6f8fa;padding:.75rem;border-radius:6px}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem .75rem;border:1px solid #8c959f;border-radius:6px}
details{border:1px solid #d8dee4;border-radius:6px;margin:.5rem 0;padding:.25rem .75rem}
summary{cursor:pointer;padding:.25rem 0}summary b{display:inline-block;min-width:4.5rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}pre{background:#161b22}
details,h2{border-color:#30363d}input{background:#0d1117;color:inherit}}
"""
_SCRIPT = """
const box=document.getElementById("search");
box.addEventListener("input",()=>{const words=box.value.toLowerCase().split(/\\s+/);
for(const section of document.querySelectorAll("section")){let shown=0;
for(const entry of section.querySelectorAll("details")){
const fits=words.every(word=>entry.textContent.toLowerCase().includes(word));entry.hidden=!fits;shown+=fits}
section.hidden=!shown}});
"""


def render_page(document: Json) -> tuple[str, str]:
    """The page and the content security policy that it needs."""
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    sections = "".join(_sections(document))
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head><body>'
        f"<h1>{title}</h1>{_prose(document['info'].get('description', ''))}"
        '<p><a href="openapi.json">openapi.json</a></p>'
        '<label for="search">Search</label><input id="search" type="search" autocomplete="off">'
        f"<main>{sections}</main><script>{_SCRIPT}</script></body></html>"
    )
    policy = (
        f"default-src 'none'; style-src {_hash(_STYLE)}; script-src {_hash(_SCRIPT)}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return html, policy


def _sections(document: Json) -> Iterator[str]:
    by_tag: dict[str, list[str]] = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, Mapping) and "responses" in operation:
                tag = next(iter(operation.get("tags", [])), "Other")
                by_tag.setdefault(tag, []).append(_operation(method, path, operation))
    for tag, operations in by_tag.items():
        yield f"<section><h2>{escape(tag)}</h2>{''.join(operations)}</section>"
    schemas = document.get("components", {}).get("schemas", {})
    entries = "".join(_schema(name, schema) for name, schema in sorted(schemas.items()))
    yield f"<section><h2>Schemas</h2>{entries}</section>"


def _operation(method: str, path: str, operation: Json) -> str:
    inside = _prose(operation.get("description", operation.get("summary", "")))
    inside += _parameters(operation.get("parameters", []))
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        inside += f"<p>Body: {_type(body)}</p>"
    rows = "".join(_row(status, answer) for status, answer in operation["responses"].items())
    summary = f"<summary><b>{method.upper()}</b> <code>{escape(path)}</code></summary>"
    return f'<details id="{escape(operation.get("operationId", ""))}">{summary}{inside}<table>{rows}</table></details>'


def _row(status: str, answer: Json) -> str:
    schemas = [media.get("schema", {}) for media in answer.get("content", {}).values()]
    shown = ", ".join(_type(schema) for schema in schemas)
    return f"<tr><th>{escape(status)}</th><td>{_code(answer.get('description', ''))}</td><td>{shown}</td></tr>"


def _parameters(parameters: list[Json]) -> str:
    rows = "".join(_parameter(parameter) for parameter in parameters)
    return f"<table>{rows}</table>" if rows else ""


def _parameter(parameter: Json) -> str:
    place = escape(parameter["in"]) + (", required" if parameter.get("required") else "")
    return (
        f"<tr><th><code>{escape(parameter['name'])}</code></th><td>{place}</td>"
        f"<td>{_type(parameter.get('schema', {}))}</td><td>{_code(parameter.get('description', ''))}</td></tr>"
    )


def _schema(name: str, schema: Json) -> str:
    required = set(schema.get("required", []))
    rows = "".join(
        f"<tr><th><code>{escape(field)}</code></th><td>{_type(form)}{', required' if field in required else ''}</td>"
        f"<td>{_code(form.get('description', ''))}</td></tr>"
        for field, form in schema.get("properties", {}).items()
    )
    inside = _prose(schema.get("description", "")) + f"<table>{rows}</table>"
    return f'<details id="schema-{escape(name)}"><summary><code>{escape(name)}</code></summary>{inside}</details>'


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#schema-{name}">{name}</a>'
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(_type(part) for part in schema[word])
    if "enum" in schema:
        return "one of " + ", ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}"
    return escape(_kind(schema)) + _bounds(schema)


def _kind(schema: Json) -> str:
    kind = schema.get("const", schema.get("format", schema.get("type", "any")))
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _bounds(schema: Json) -> str:
    named = [
        f"{word} {schema[word]}"
        for word in ("minLength", "maxLength", "minimum", "maximum", "pattern")
        if word in schema
    ]
    return f" ({escape(', '.join(named))})" if named else ""


def _prose(text: str) -> str:
    """Paragraphs; a line that begins with a star is an item."""
    lines = [line.strip() for line in text.split("\n")]
    return "".join(
        f"<p>&bull; {_code(line[2:])}</p>" if line.startswith("* ") else f"<p>{_code(line)}</p>"
        for line in lines
        if line
    )


def _code(text: str) -> str:
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if index % 2 else piece for index, piece in enumerate(pieces))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
