"""The OpenAPI description as a page to read: one HTML document that loads nothing from elsewhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#222;
background:#fff}
h2{font-size:1.1rem;margin:2.2rem 0 .3rem;border-top:1px solid #ccc;padding-top:1rem}
code,pre{font:14px/1.45 ui-monospace,monospace}
pre{background:#f3f3f0;padding:.7rem;overflow-x:auto;white-space:pre-wrap;word-break:break-word}
table{border-collapse:collapse;width:100%;font-size:.92rem}
td{padding:.15rem .8rem .15rem 0;vertical-align:top;border-bottom:1px solid #eee}
td:first-child{white-space:nowrap}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}pre{background:#2a2a28}
a{color:#8bf}td{border-color:#333}h2{border-color:#444}}
"""

Page = Callable[[Request], Awaitable[HTMLResponse]]


def page(api: FastAPI) -> Page:
    """The endpoint that shows the description of `api`; its curl lines name the address that was asked."""

    async def shown(request: Request) -> HTMLResponse:
        address = f"{request.url.scheme}://{request.url.netloc}"
        return HTMLResponse(
            _document(api.openapi(), address), headers={"content-security-policy": "default-src 'none'; "
            "style-src 'unsafe-inline'"}
        )

    return shown


def _document(openapi: Mapping[str, Any], address: str) -> str:
    info = openapi["info"]
    schemas = openapi["components"]["schemas"]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f"<title>{html.escape(info['title'])}</title><style>{_STYLE}</style>",
        f"<h1>{html.escape(info['title'])} {html.escape(info['version'])}</h1>",
        f"<p>{_text(info['description'])}</p>",
        "<p>For programs: <a href=/openapi.json>openapi.json</a></p>",
    ]
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            parts += _operation(path, method.upper(), operation, schemas, address)
    return "\n".join(parts)


def _operation(
    path: str, method: str, operation: Mapping[str, Any], schemas: Mapping[str, Any], address: str
) -> Iterator[str]:
    yield f"<h2><code>{method} {html.escape(path)}</code></h2>"
    yield f"<p>{_text(operation.get('description', ''))}</p>"
    rows = [
        (parameter["name"], _kind(parameter["schema"]), parameter["description"], parameter["required"])
        for parameter in operation.get("parameters", [])
    ]
    body = _json_schema(operation.get("requestBody", {}), schemas)
    rows += _fields(body, schemas)
    yield from _table(rows)
    yield f"<pre>{html.escape(_curl(path, method, operation, body, schemas, address))}</pre>"
    answer = _json_schema(operation["responses"]["200"], schemas)
    if answer:
        yield "<p>answers with</p>"
        yield from _table([(*row[:3], False) for row in _fields(answer, schemas)])


def _fields(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Name, kind, meaning and whether it is needed, of each field and of those within it."""
    rows = []
    for name, field in schema.get("properties", {}).items():
        needed = name in schema.get("required", [])
        rows.append((name, _kind(field), field.get("description", ""), needed))
        listed = field.get("items", {})
        for inner, mark in ((field, "."), (listed, "[].")):
            if "$ref" in inner:
                within = _fields(schemas[_name(inner)], schemas)
                rows += [(f"{name}{mark}{row[0]}", *row[1:]) for row in within]
    return rows


def _text(sentence: str) -> str:
    """A sentence with what stands between backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(sentence))


def _table(rows: list[tuple[str, str, str, bool]]) -> Iterator[str]:
    if not rows:
        return
    yield "<table>"
    for name, kind, meaning, required in rows:
        cells = (f"<code>{html.escape(name)}</code>", html.escape(kind) + (", needed" if required else ""))
        yield f"<tr><td>{cells[0]}<td>{cells[1]}<td>{_text(meaning)}"
    yield "</table>"


def _json_schema(holder: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = holder.get("content", {}).get("application/json", {}).get("schema", {})
    found: Mapping[str, Any] = schemas[_name(schema)] if "$ref" in schema else schema
    return found


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _kind(schema: Mapping[str, Any]) -> str:
    """A type in a word or two."""
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{_kind(schema.get('items', {}))}, …]"
    bounds = [schema.get("minimum"), schema.get("maximum")]
    kind = str(schema.get("type", "value"))
    return f"{kind} {bounds[0]:g}..{bounds[1]:g}" if None not in bounds else kind


def _curl(
    path: str,
    method: str,
    operation: Mapping[str, Any],
    body: Mapping[str, Any],
    schemas: Mapping[str, Any],
    address: str,
) -> str:
    if method == "POST":
        sent = json.dumps(_example(body, schemas))
        return f"curl {address}{path} -H 'content-type: application/json' -d '{sent}'"
    query = "&".join(
        f"{parameter['name']}={parameter['example']}"
        for parameter in operation.get("parameters", [])
        if parameter["example"] or parameter["required"]
    )
    return f"curl '{address}{path}?{query}'" if query else f"curl {address}{path}"


def _example(body: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    if body.get("examples"):
        return body["examples"][0]
    return {"requests": [_example(schemas[_name(body["properties"]["requests"]["items"])], schemas)]}
