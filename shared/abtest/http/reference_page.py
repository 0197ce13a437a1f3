"""The reference page: the renderer's script, the OpenAPI document, and the guides as further documents."""

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape

_STYLE = "body{margin:0;font-family:system-ui,sans-serif}noscript{display:block;margin:2rem}"
_SETTINGS = {
    "withDefaultFonts": False,
    "telemetry": False,
    "hideTestRequestButton": True,
    "hideClientButton": True,
    "showDeveloperTools": "never",
    "agent": {"disabled": True},
    "mcp": {"disabled": True},
    "defaultHttpClient": {"targetKey": "shell", "clientKey": "curl"},
}
"""Nothing from other hosts, no requests to the API, curl as the first sample."""


def render_page(title: str, script: str, guides: Mapping[str, str]) -> tuple[str, str]:
    """Return the page and its content security policy. `script` is the renderer's path; `guides` are titles by name."""
    start = start_script(guides)
    html = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style></head><body>"
        '<div id="reference"></div><noscript>This page needs scripts. The same content is in '
        '<a href="openapi.json">openapi.json</a>.</noscript>'
        f'<script src="{escape(script)}"></script><script>{start}</script></body></html>'
    )
    # The renderer makes style elements and attributes while it runs, so styles cannot be listed by their hashes.
    policy = (
        f"default-src 'none'; script-src 'self' {hash_of(start)}; style-src 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return html, policy


def start_script(guides: Mapping[str, str]) -> str:
    """Return the script that starts the renderer with the reference and, as documents without routes, the guides."""
    reference = {"title": "API reference", "slug": "reference", "url": "openapi.json", "default": True}
    pages = [{**_SETTINGS, **reference, "documentDownloadType": "direct"}]
    for name, title in guides.items():
        guide = {"title": title, "slug": name, "url": f"docs/{name}.json"}
        pages.append({**_SETTINGS, **guide, "documentDownloadType": "none", "hiddenClients": True})
    # `<` escaped, so that no title can end the script element.
    return f'Scalar.createApiReference("#reference",{json.dumps(pages)})'.replace("<", "\\u003c")


def hash_of(text: str) -> str:
    """Return the source expression that allows an inline script with this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
