"""Products of the demo shop; prices are integer cents."""

from __future__ import annotations

from dataclasses import dataclass

CURRENCY = "EUR"


@dataclass(frozen=True)
class Product:
    """One product; `hue` colours its drawing."""

    slug: str
    name: str
    line: str
    cents: int
    hue: int
    shape: str

    @property
    def price(self) -> str:
        return f"€{self.cents / 100:.2f}"


PRODUCTS = (
    Product("stoneware-mug", "Stoneware mug", "Thrown by hand, glazed twice.", 2400, 18, "mug"),
    Product("linen-throw", "Linen throw", "Washed linen that softens for years.", 8900, 210, "throw"),
    Product("oak-board", "Oak board", "One plank, oiled, with a leather loop.", 4200, 34, "board"),
    Product("beeswax-candle", "Beeswax candle", "Forty hours of quiet light.", 1900, 46, "candle"),
    Product("glass-carafe", "Glass carafe", "Mouth-blown, a litre, one cork.", 3600, 168, "carafe"),
    Product("wool-cushion", "Wool cushion", "Felted wool from a small mill.", 5400, 340, "cushion"),
)
FIRST = PRODUCTS[0]
BY_SLUG = {product.slug: product for product in PRODUCTS}
