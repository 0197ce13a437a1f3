"""Every screen of the console, one address of each: the navigation, and what the screens lead to."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator

from tests.e2e.story import Story
from tests.support.console_page import Console

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]{10}")
LINKS = """shop => [...document.querySelectorAll('nav a, main a')].map(a => a.pathname + a.search)
  .filter(path => path.startsWith(`/console/${shop}`)).map(path => path.slice(`/console/${shop}`.length))"""


def pattern_of(path: str) -> str:
    """Return an address with its ids replaced, without its query: screens of one kind have the same."""
    return _ID.sub(":id", path.partition("?")[0])


def screens(console: Console) -> Iterator[str]:
    """Open one address of each screen, breadth first from the overview, and yield it."""
    known = {""}
    waiting = [""]
    while waiting:
        path = waiting.pop(0)
        if path:
            console.go(path)
        else:
            console.open()
        yield path
        for link in console.page.evaluate(LINKS, console.shop_id):
            if pattern_of(link) not in known:
                known.add(pattern_of(link))
                waiting.append(link)


def fill(shop: Story) -> None:
    """Give the shop one thing of each kind that a screen shows."""
    api = shop.call
    goals = [{"name": "Cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}]
    changes = [{"selector": "h1", "action": "text", "text": "Made well"}]
    variations = [
        {"name": "Control", "weight": 0.5, "is_control": True},
        {"name": "Short", "weight": 0.5, "is_control": False, "mutations": changes},
    ]
    running = api("POST", "/experiments", 201, name="A better headline", goals=goals, variations=variations)
    api("POST", f"/experiments/{running['id']}/launch", override_checklist_warnings=True)
    api("POST", "/experiments", 201, name="A draft")
    api("POST", "/flags", 201, name="New basket", key="new-basket")
    api("POST", "/pages", 201, name="Products", includeRules=[{"type": "simple", "pattern": "/product*"}])
    phones = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}
    api("POST", "/audiences", 201, name="On phones", rules=phones)
    api("POST", "/goals", 201, name="Newsletter", type="custom", event_name="newsletter")
    api("POST", "/exclusion-groups", 201, name="Checkout")
    api("POST", "/webhooks", 201, url="http://127.0.0.1:9/svc", events=["experiment.started"])
    api("POST", "/settings/data-layer-triggers", 201, eventName="newsletter", trackEventName="newsletter")
    api("POST", "/inbox/messages", 201, body="Is there a limit for Friday?")
    api("POST", "/backlog/ideas", 201, title="A shorter form")
    api("POST", "/landing-pages", 201, name="Summer", slug="summer")
    api("POST", "/personalizations", 201, name="Returning visitors", key="returning")
    api("POST", "/content-briefs", 201, angle="Slow mornings", format="landing")
    lamp = b64encode(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4"/></svg>').decode()
    api("POST", "/assets", 201, file_name="lamp.svg", content_base64=lamp)
