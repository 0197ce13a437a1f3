"""The pixel that is pasted on external domains: its configuration, and where each kind of page lists its orders."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, get_args

from abtest.domain.delivery.literals import literal
from abtest.domain.delivery.shapes import PublishedRuntime
from abtest.domain.settings.shapes import PublishedConsent, PublishedHandover

Provider = Literal["custom", "data_layer", "digital_data"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
GLOBAL_NAME = "svcPixel"


PixelOrders = Mapping[str, str | Sequence[str]]
"""Location of the orders on a kind of page: a data layer and its events, or an object, and the paths of its fields."""


class PixelRuntime(TypedDict):
    """The part of a storefront's runtime that the pixel reads."""

    currency: str
    events_url: str
    events_signature: str
    consent: NotRequired[PublishedConsent]
    handover: NotRequired[PublishedHandover]


class Pixel(TypedDict):
    """The global of the pixel, and the orders that it reads by itself."""

    name: str
    orders: Sequence[PixelOrders]


class PixelConfig(TypedDict):
    """Configuration of the pixel."""

    shop_id: str
    runtime: PixelRuntime
    pixel: Pixel


_ORDERS: Mapping[Provider, Sequence[PixelOrders]] = {
    "custom": [],
    "data_layer": [
        {
            "layer": "dataLayer",
            "events": ["purchase"],
            "id": ["ecommerce.transaction_id", "transaction_id", "ecommerce.purchase.actionField.id", "transactionId"],
            "revenue": ["ecommerce.value", "value", "ecommerce.purchase.actionField.revenue", "transactionTotal"],
            "currency": ["ecommerce.currency", "currency", "ecommerce.currencyCode", "transactionCurrency"],
        }
    ],
    "digital_data": [
        {
            "object": "digitalData",
            "id": ["transaction.transactionID"],
            "revenue": ["transaction.total.transactionTotal", "transaction.total.basePrice"],
            "currency": ["transaction.total.currency"],
        }
    ],
}
"""Orders that the pixel reads by itself: none; purchases pushed to the data layer by e-commerce tags and `gtag`; the
transaction of the W3C's customer experience digital data layer."""

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def pixel_config(shop_id: str, runtime: PublishedRuntime, provider: Provider) -> PixelConfig:
    """Return the pixel's configuration: of the storefront's runtime only the events' address, consent and handover."""
    kept: PixelRuntime = {
        "currency": runtime["currency"],
        "events_url": runtime["events_url"],
        "events_signature": runtime["events_signature"],
    }
    if "consent" in runtime:
        kept["consent"] = runtime["consent"]
    if "handover" in runtime:
        kept["handover"] = runtime["handover"]
    return {"shop_id": shop_id, "runtime": kept, "pixel": {"name": GLOBAL_NAME, "orders": _ORDERS[provider]}}


def render_pixel(config: PixelConfig, bundle: str) -> str:
    """Return the script element, ASCII only; no text in the shop's settings can end it early."""
    runtime, scripts = config["runtime"].copy(), []
    if "consent" in runtime:
        scripts.append(f"function(group){{\n{runtime['consent']['read']}\n}}")
        runtime["consent"] = {**runtime["consent"], "read": 0}

    def escaped(character: re.Match[str]) -> str:
        # JavaScript escapes are UTF-16 code units, so a character beyond the BMP needs two of them.
        units = character[0].encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))

    # The encoding of the page into which it is pasted is unknown; all that are usual agree on ASCII.
    values = _NOT_ASCII.sub(escaped, literal({**config, "runtime": runtime}))
    return f"<script>{bundle.strip().removesuffix(';')}({values},[{','.join(scripts)}]);</script>"


def example(currency: str) -> str:
    """Return an example call that counts an order."""
    return f'{GLOBAL_NAME}.track("order", {{orderId: "1001", revenue: 49.9, currency: "{currency}"}});'
