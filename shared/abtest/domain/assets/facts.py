"""Facts about an asset that pages and other users of it need."""

from dataclasses import dataclass

from abtest.kit.content_coding import MAX_SERVED_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFacts:
    """Stored asset: its address, its size, also in pixels where it has one, and the widths that it is available in."""

    id: str
    mime_type: str
    url: str
    title: str
    size_bytes: int
    width: int | None = None
    height: int | None = None
    renditions: tuple[tuple[int, str], ...] = ()
    """Width in pixels and address of each, the narrowest first."""

    @property
    def is_in_parts(self) -> bool:
        """Return whether the stored file is too large for one answer, so that only parts of it can be loaded."""
        return self.size_bytes > MAX_SERVED_BYTES


def is_inline(address: str) -> bool:
    """Return whether an address is the content itself, which no other reader could load by it."""
    return address.startswith("data:")
