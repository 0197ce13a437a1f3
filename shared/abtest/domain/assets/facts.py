"""Facts about an asset that pages and other users of it need."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFacts:
    """Stored asset: its address, its size in pixels where it has one, and the widths that it is also available in."""

    id: str
    mime_type: str
    url: str
    title: str
    width: int | None = None
    height: int | None = None
    renditions: tuple[tuple[int, str], ...] = ()
    """Width in pixels and address of each, the narrowest first."""


def is_inline(address: str) -> bool:
    """Return whether an address is the content itself, which no other reader could load by it."""
    return address.startswith("data:")
