"""Drawings of the products, so that the shop needs no image files."""

from __future__ import annotations

from tools.local.store.catalogue import Product

_SHAPES = {
    "mug": '<path d="M70 70h70v70a20 20 0 0 1-20 20H90a20 20 0 0 1-20-20z"/>'
    '<path d="M140 85h12a20 20 0 0 1 0 45h-12" fill="none" stroke="currentColor" stroke-width="9"/>',
    "throw": '<path d="M60 55h100v115l-12-8-13 8-12-8-13 8-12-8-13 8-12-8-13 8z"/>'
    '<path d="M60 85h100M60 100h100" stroke="#fff" stroke-opacity=".55" stroke-width="5"/>',
    "board": '<rect x="75" y="45" width="70" height="125" rx="14"/>'
    '<circle cx="110" cy="62" r="7" fill="#fff" fill-opacity=".8"/>',
    "candle": '<rect x="88" y="85" width="44" height="85" rx="6"/>'
    '<path d="M110 40c14 16 14 34 0 38-14-4-14-22 0-38z"/>',
    "carafe": '<path d="M95 45h30v35c0 14 25 24 25 55a30 30 0 0 1-30 30h-20a30 30 0 0 1-30-30c0-31 25-41 25-55z"/>',
    "cushion": '<path d="M60 65q50 14 100 0-12 45 0 90-50-12-100 0 12-45 0-90z"/>',
}


def drawing(product: Product) -> str:
    """An inline SVG of the product; decoration, hence hidden from assistive technology."""
    return (
        f'<svg viewBox="0 0 220 220" aria-hidden="true" style="color:hsl({product.hue} 38% 46%)">'
        f'<rect width="220" height="220" fill="hsl({product.hue} 42% 92%)"/>'
        '<ellipse cx="110" cy="178" rx="62" ry="9" fill="#000" fill-opacity=".07"/>'
        f'<g fill="currentColor">{_SHAPES[product.shape]}</g></svg>'
    )
