"""Import map of a page, with the addresses of its modules at the proxy."""

import json
from collections.abc import Mapping
from typing import Any

from abtest.domain.preview.addresses import PreviewSite, path_form, resolved
from abtest.domain.preview.state import module_map, script_json


def rewrite_import_map(text: str, *, base_url: str, page_url: str, site: PreviewSite) -> str | None:
    """Return a page's import map together with ours; None for a text that browsers do not take for one."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    ours = module_map(site, page_url)
    scopes: dict[str, Any] = dict(ours["scopes"])
    for prefix, specifiers in _object(given.get("scopes")).items():
        for key in _keys(prefix, base_url, site):
            scopes[key] = _object(scopes.get(key)) | _mapped(_object(specifiers), base_url, site)
    merged: dict[str, Any] = {
        "imports": ours["imports"] | _mapped(_object(given.get("imports")), base_url, site),
        "scopes": scopes,
    }
    if integrity := _object(given.get("integrity")):
        merged["integrity"] = {key: value for url, value in integrity.items() for key in _keys(url, base_url, site)}
    return script_json(merged)


def _mapped(specifiers: Mapping[str, Any], base_url: str, site: PreviewSite) -> dict[str, Any]:
    """Return specifiers with their addresses at the proxy. Null, which blocks a module, stays."""
    return {
        key: _address(address, base_url, site) if isinstance(address, str) else None
        for specifier, address in specifiers.items()
        for key in _keys(specifier, base_url, site)
    }


def _keys(specifier: str, base_url: str, site: PreviewSite) -> list[str]:
    """Return a specifier as scripts of the page and modules at the proxy resolve it; a bare name as it is."""
    if not specifier.startswith(("/", "./", "../")) and "://" not in specifier:
        return [specifier]
    url = resolved(specifier, base_url)
    if url is None:
        return [specifier]
    at_proxy = path_form(site, url)
    # A module's rooted import leads to the root of the proxy.
    rooted = [f"{site.base}{url.path}{url.query}"] if specifier.startswith("/") and at_proxy else []
    return [url.href, *([at_proxy] if at_proxy else []), *rooted]


def _address(address: str, base_url: str, site: PreviewSite) -> str:
    """Return an address at the proxy; it is absolute, as the map is read against the base of the document."""
    url = resolved(address, base_url) if address.startswith(("/", "./", "../")) or "://" in address else None
    return path_form(site, url) or (url.href if url is not None else address)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
