"""Landing pages of the demo shop, published over the management API as any shop does it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    import requests

Call = Callable[..., Any]
"""Method, path and body of a management route; returns its JSON."""

SLUG = "good-mornings"
HINT = (
    "pages of other hosts: http://<host>.localhost:{port}/<path> in a browser, "
    "or curl -H 'Host: <host>' http://127.0.0.1:{port}/<path>"
)
TIMEOUT_SECONDS = 60
_MARK = re.compile('<meta name="svc-served" content="([^":]+):([^"]+)">')


def spec_of(heading: str) -> dict[str, Any]:
    """Return a page about the goods of the demo store."""
    theme = {"primary": "#8a4b1f", "background": "#fffdf9", "text": "#231f1b", "muted": "#f6efe6", "font": "serif"}
    steps = [
        {"heading": "Choose", "body": "Four things for the first hour of the day. Nothing else."},
        {"heading": "Receive", "body": "At your door within two days, in a box that fits through the slot."},
        {"heading": "Return", "body": "Within sixty days, *also used*."},
    ]
    questions = [
        {
            "question": "Where are these things made?",
            "answer": "In small workshops, none further away than a day by train.",
        },
        {"question": "Can I repair them?", "answer": "Yes. Each part has a number, and **each number has a price**."},
    ]
    link = {"label": "What you should know", "href": "#questions"}
    blocks = [
        {
            "type": "hero",
            "id": "top",
            "heading": heading,
            "body": "For people who like to begin slowly.",
            "links": [link],
        },
        {"type": "steps", "id": "steps", "tone": "muted", "heading": "How it works", "items": steps},
        {"type": "faq", "id": "questions", "heading": "Before you buy", "items": questions},
        {"type": "cta", "id": "begin", "tone": "dark", "heading": "Begin tomorrow", "links": [link]},
    ]
    return {
        "format": 1,
        "lang": "en",
        "theme": theme,
        "blocks": blocks,
        "footer": {"body": "A shop for demonstration."},
    }


def demo_page(dev: Mapping[str, Any]) -> str:
    """Publish a page of the demo shop, unless an earlier start did, and return its address on this machine."""
    call = caller(dev)
    page = page_of(call, SLUG, "Good mornings")
    if page["published_version_id"] is None:
        claim_host(call)
        add_version(call, page["id"], "Everyday things, made well")
        call("POST", f"/landing-pages/{page['id']}/publish", {})
    return local_address(dev, page["publish_host"] or "", f"/{SLUG}")


def publish_variants(call: Call, dev: Mapping[str, Any], experiment: Mapping[str, Any]) -> str:
    """Publish the page with a version for each variation of an experiment; return its address on this machine."""
    page = page_of(call, SLUG, "Good mornings")
    claim_host(call)
    headings = ("Everyday things, made well", "Good things for slow mornings")
    versions = {
        variation["id"]: add_version(call, page["id"], heading)
        for variation, heading in zip(experiment["variations"], headings, strict=True)
    }
    body = {"experiment_id": experiment["id"], "versions": versions}
    call("PUT", f"/landing-pages/{page['id']}/experiment", body)
    publish = call("POST", f"/landing-pages/{page['id']}/publish", {})
    return local_address(dev, publish["host"], publish["path"])


def land(session: requests.Session, address: str) -> tuple[str, str | None]:
    """Open a page as a new visitor does; return the visitor's id and the variation in the page's mark.

    Raises HTTPError for a page that is not served.
    """
    session.cookies.clear()
    answer = session.get(address, timeout=TIMEOUT_SECONDS)
    answer.raise_for_status()
    mark = _MARK.search(answer.text)
    return str(session.cookies.get("svc_v")), None if mark is None else mark[2]


def page_of(call: Call, slug: str, name: str) -> Any:
    """Return the page with this slug, created if there is none."""
    known = call("GET", "/landing-pages?limit=100", None)["data"]
    return next((page for page in known if page["slug"] == slug), None) or call(
        "POST", "/landing-pages", {"name": name, "slug": slug, "publish_path": f"/{slug}"}
    )


def claim_host(call: Call) -> None:
    """Claim the shop's own domain as a host of its pages, unless that was done before."""
    settings = call("GET", "/settings/install-domains", None)
    if settings["revision"] == "initial":
        call("PATCH", "/settings/install-domains", {"domain": settings["domain"]})


def add_version(call: Call, page_id: str, heading: str) -> str:
    """Write a version and have it approved; return its id."""
    description = "Four things for the first hour of the day, made to be repaired. Delivered in two days."
    seo = {"title": heading, "description": description}
    version = call("POST", f"/landing-pages/{page_id}/versions", {"spec": spec_of(heading), "seo_manifest": seo})
    runs = f"/landing-pages/{page_id}/qa-runs"
    run = call("POST", runs, {"version_id": version["id"]})
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while run["status"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.2)
        run = call("GET", f"{runs}/{run['id']}", None)
    call("POST", f"{runs}/{run['id']}/approve", {"note": "Demo"})
    return str(version["id"])


def local_address(dev: Mapping[str, Any], host: str, path: str) -> str:
    """Return where a page opens on this machine, in any browser and without a resolver."""
    edge = urlsplit(dev["worker_base_url"])
    return (
        f"{dev['worker_base_url']}{path}"
        if host in ("", edge.hostname)
        else f"http://{host}.localhost:{edge.port}{path}"
    )


def caller(dev: Mapping[str, Any]) -> Call:
    """Return calls of the management API with a shop's key; each raises HTTPError when it is refused."""
    headers = {"Authorization": f"Bearer {dev['api_key']}", "Content-Type": "application/json"}

    def call(method: str, path: str, body: Any) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = Request(f"{dev['base_url']}{path}", content, headers, method=method)  # noqa: S310 - own address
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - the stack's own address
            return json.load(answer)

    return call
