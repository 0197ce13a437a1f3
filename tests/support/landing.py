"""Landing pages for tests: a spec with every block, its assets as generated pictures, and a site."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.pages.site import Site
from abtest.domain.pages.spec import Seo

EDGE = "https://edge.shop.example"
ASSETS = "https://assets.shop.example"
WIDTHS = (480, 768, 1080, 1440, 1920)


def asset_id(number: int) -> str:
    """Return the id of one of the assets below."""
    return f"0199d5a0-0000-7000-8000-{number:012d}"


def picture(number: int, width: int, height: int) -> AssetFacts:
    """Return a photograph with its WebP copies."""
    folder = f"{ASSETS}/a/{number}"
    renditions = tuple((each, f"{folder}/w{each}.webp") for each in WIDTHS if each <= width)
    return AssetFacts(
        id=asset_id(number),
        mime_type="image/jpeg",
        url=f"{folder}/photo.jpg",
        title=f"Photo {number}",
        size_bytes=400_000,
        width=width,
        height=height,
        renditions=renditions,
    )


PHOTO, WIDE, SQUARE, POSTER = (
    picture(1, 1920, 1440),
    picture(2, 1920, 820),
    picture(3, 1200, 1200),
    picture(4, 1920, 1080),
)
ICON = AssetFacts(
    id=asset_id(5),
    mime_type="image/svg+xml",
    url=f"{ASSETS}/a/5/icon.svg",
    title="Icon",
    size_bytes=900,
    width=24,
    height=24,
)
VIDEO = AssetFacts(
    id=asset_id(6),
    mime_type="video/mp4",
    url=f"{ASSETS}/a/6/film.mp4",
    title="Film",
    size_bytes=9_000_000,
    width=1920,
    height=1080,
)
FONT = AssetFacts(
    id=asset_id(7), mime_type="font/woff2", url=f"{ASSETS}/a/7/font.woff2", title="Font", size_bytes=20_000
)
LIBRARY = {each.id: each for each in (PHOTO, WIDE, SQUARE, POSTER, ICON, VIDEO, FONT)}

SITE = Site(
    shop_id="0199d5a0-0000-7000-8000-00000000aaaa",
    shop_name="Nordlicht",
    domain="shop.example",
    edge_origin=EDGE,
    assets_origin=ASSETS,
    snippet_address=f"{EDGE}/s/0199d5a0-0000-7000-8000-00000000aaaa.js",
    canonical_address="https://shop.example/lamp",
    form_hosts=("shop.example",),
)
SEO = Seo(
    title="The lamp that follows the sun",
    description="A desk lamp that follows daylight, made to be repaired. Delivered in two days, returned within 60.",
    og_image_asset_id=WIDE.id,
)


def _photo(alt: str, asset: AssetFacts = PHOTO) -> dict[str, Any]:
    return {"asset_id": asset.id, "alt": alt}


_ICON = {"asset_id": ICON.id, "decorative": True}
_BUY = {"label": "Order the lamp", "href": "https://shop.example/cart/add?sku=lamp"}

BLOCKS: dict[str, dict[str, Any]] = {
    "hero": {
        "heading": "Light that follows your day",
        "body": "Aurora brightens with the morning and dims with the evening. **No app**, no account, no blue light.",
        "image": _photo("Desk lamp next to a window at dusk"),
        "links": [_BUY, {"label": "How it works", "href": "#steps"}],
    },
    "text": {
        "heading": "Why daylight matters",
        "body": (
            "Offices are lit for machines: bright, even, the same at nine in the morning and at nine at night. Our "
            "bodies expect something else.\n\n> People who work in changing light sleep 23 minutes longer.\n\n"
            "Aurora reproduces three things:\n\n- the **colour** of the sky, from 2,200 to 6,500 kelvin\n"
            "- its *brightness*, in steps too small to notice\n- its direction, with two separate light sources\n\n"
            "Read [the study](https://shop.example/study) or ask us by [mail](mailto:hello@shop.example)."
        ),
    },
    "image": {
        "image": _photo("Workbench with the parts of a lamp", WIDE),
        "caption": "Each part can be replaced with a single screwdriver.",
    },
    "video": {"asset_id": VIDEO.id, "poster_asset_id": POSTER.id, "title": "One day in forty seconds"},
    "features": {
        "heading": "Made to stay for thirty years",
        "items": [
            {
                "heading": "Repairable",
                "body": "Six screws, no glue. Spare parts for every component, also in 2045.",
                "image": _ICON,
            },
            {"heading": "Quiet", "body": "No fan and no coil whine: 0 dB at any brightness.", "image": _ICON},
            {
                "heading": "Frugal",
                "body": "Nine watts at full power, and [0.1 watt](#faq) in standby.",
                "image": _ICON,
            },
        ],
    },
    "steps": {
        "heading": "Ready in three minutes",
        "items": [
            {"heading": "Unpack", "body": "Lamp, cable and a card. That is all."},
            {"heading": "Plug in", "body": "Aurora reads the time of day from the light around it."},
            {"heading": "Forget it", "body": "From now on it follows the sun."},
        ],
    },
    "product": {
        "name": "Aurora desk lamp",
        "price": 189,
        "currency": "EUR",
        "image": _photo("Aurora, seen from the side", SQUARE),
        "body": "Aluminium in three colours.\n\n- 60 days to return it\n- 10 years of guarantee\n- free delivery",
        "link": {"label": "Add to cart", "href": "/cart/add?sku=lamp"},
    },
    "comparison": {
        "heading": "How Aurora compares",
        "columns": ["Aurora", "Smart bulb", "Office lamp"],
        "rows": [
            {"label": "Follows daylight", "cells": [True, "With an app", False]},
            {"label": "Works without internet", "cells": [True, False, True]},
            {"label": "Spare parts", "cells": ["30 years", "None", "2 years"]},
            {"label": "Power", "cells": ["9 W", "11 W", "24 W"]},
        ],
    },
    "testimonials": {
        "items": [
            {
                "quote": "I stopped noticing the lamp after a week. What I noticed was that I **sleep again**.",
                "name": "Mara Lindqvist, architect",
                "evidence_ref": "review-1",
            },
            {"quote": "Finally a lamp that I can open with a screwdriver.", "name": "Jonas Weber, repair café Köln"},
            {
                "quote": "Our studio has twelve. The old ones went to the basement.",
                "name": "Studio Ferro, Milan",
            },
        ]
    },
    "stats": {
        "items": [
            {"value": "48,000", "label": "lamps in use", "evidence_ref": "sales"},
            {"value": "4.8 / 5", "label": "from 2,913 reviews"},
            {"value": "0.4 %", "label": "sent in for repair"},
            {"value": "30 years", "label": "of spare parts"},
        ]
    },
    "faq": {
        "heading": "Questions before you buy",
        "items": [
            {"question": "Does it need an app?", "answer": "No. A dial at the base overrides daylight for an hour."},
            {
                "question": "What if it breaks?",
                "answer": "Send it in, or order the part:\n\n1. find its number\n2. order",
            },
            {"question": "Can I return it?", "answer": "Within 60 days, *also used*. See [returns](/returns)."},
        ],
    },
    "cta": {
        "heading": "See the evening coming",
        "body": "Order today, work in better light on Thursday.",
        "links": [_BUY, {"label": "Ask a question", "href": "#form", "style": "secondary"}],
    },
    "form": {
        "heading": "Ask us anything",
        "action": "https://shop.example/contact",
        "submit": "Send question",
        "fields": [
            {"name": "name", "label": "Name", "autocomplete": "name"},
            {"name": "email", "label": "Email", "type": "email", "required": True, "autocomplete": "email"},
            {"name": "topic", "label": "Topic", "type": "select", "options": ["Before buying", "Repair", "Other"]},
            {"name": "message", "label": "Your question", "type": "textarea", "required": True},
            {"name": "news", "label": "Send me news twice a year", "type": "checkbox"},
        ],
    },
}
FOOTER: dict[str, Any] = {
    "body": "Lamps from Hamburg since 1994.",
    "links": [{"label": "Imprint", "href": "/imprint"}, {"label": "Privacy", "href": "/privacy"}],
}
TONES = ("plain", "muted", "dark")


def page(*types: str, tone: str = "plain", **more: Any) -> dict[str, Any]:
    """Return a spec with these blocks, or all of them, in one tone. The id of each block is its type."""
    blocks = [{"type": each, "id": each, "tone": tone, **BLOCKS[each]} for each in types or BLOCKS]
    return {"format": 1, "lang": "en", "theme": {}, "blocks": blocks, **more}


def block(type_: str, **more: Any) -> dict[str, Any]:
    """Return one block with fields of its own."""
    return {"type": type_, "id": type_, **BLOCKS[type_], **more}


def other_forms() -> dict[str, Any]:
    """Return a page with the blocks in their other forms: without pictures, with fewer or more items."""
    wood = [
        {"heading": f"Wood {place}", "body": "From a forest nearby.", "image": _photo("Wood")} for place in range(4)
    ]
    steps = [{"heading": f"Step {place}", "body": "A line that explains it."} for place in range(6)]
    names = ["Aurora One", "Aurora Pro", "Aurora Studio", "Industrial"]
    cells = ["CRI 90", "CRI 95", "CRI 98, tested by an independent laboratory", False]
    more = {"label": "How it works", "href": "#steps", "style": "text"}
    blocks = [
        block("hero", tone="dark", links=[_BUY, more]),
        block("features", items=wood),
        block("steps", tone="muted", items=steps),
        block("testimonials", items=BLOCKS["testimonials"]["items"][:1]),
        block("product", tone="muted"),
        block("text"),
        block("stats", tone="dark", items=BLOCKS["stats"]["items"][:3]),
        block("comparison", columns=names, rows=[{"label": "Colour rendering", "cells": cells}]),
        block("testimonials", id="two", tone="muted", items=BLOCKS["testimonials"]["items"][:2]),
        block("stats", id="two-stats", items=BLOCKS["stats"]["items"][:2]),
    ]
    for place, field in ((0, "image"), (4, "image"), (5, "heading")):
        del blocks[place][field]
    return page(footer={**FOOTER, "tone": "dark"}) | {"blocks": blocks}


def png(width: int, height: int) -> bytes:
    """Return a picture of a soft gradient, which takes the place of a photograph in screenshots."""
    # The sum of a row and a column, so that the light comes from a corner.
    shades = [bytes((188 - each, 198 - each, 214 - each)) for each in range(width // 8 + height // 2 + 1)]
    rows = b"".join(b"\0" + b"".join(shades[x // 8 + y // 2] for x in range(width)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
