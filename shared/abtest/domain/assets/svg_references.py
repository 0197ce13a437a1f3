"""References of a sanitised SVG: into itself, to embedded pixels, and how often each part is drawn."""

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from abtest.domain.assets.errors import InvalidAssetError, UnsupportedAssetTypeError
from abtest.domain.assets.signatures import recognized
from abtest.domain.assets.types import Kind

MAX_DRAWN = 2_000_000
MAX_REFERENCE_DEPTH = 256
MAX_EMBEDDED_IMAGES = 16
_FRAGMENT = re.compile(r"#[\w.:-]+")
_DATA_URI = re.compile(r"data:image/[a-z+]{1,20};base64,([A-Za-z0-9+/=\s]*)", re.IGNORECASE)
_URL = re.compile(r"url\([\"']?#([\w.:-]+)")

CleanImage = Callable[[bytes], bytes]
"""Checks an embedded image and returns it without metadata. Raises InvalidAssetError."""


@dataclass(slots=True)
class Node:
    """Element of the new document. Its children are elements and text."""

    tag: str
    attributes: list[tuple[str, str]]
    children: list["Node | str"] = field(default_factory=list)


def fragment(href: str) -> str | None:
    """Return a reference into the same document, else None."""
    href = href.strip()
    return href if _FRAGMENT.fullmatch(href) else None


class EmbeddedImages:
    """Images of one document that are embedded as data URIs."""

    def __init__(self, clean: CleanImage) -> None:
        self._clean = clean
        self._count = 0

    def href(self, href: str) -> str | None:
        """Return a data URI of a clean image, or None when the address is anything else than embedded pixels."""
        match = _DATA_URI.fullmatch(href.strip())
        if match is None:
            return None
        try:
            content = base64.b64decode("".join(match[1].split()), validate=True)
            asset_type = recognized(content)
        except (binascii.Error, UnsupportedAssetTypeError):
            return None
        if asset_type.kind is not Kind.RASTER:
            return None
        self._count += 1
        if self._count > MAX_EMBEDDED_IMAGES:
            raise InvalidAssetError(f"the file is an SVG image with more than {MAX_EMBEDDED_IMAGES} embedded images")
        return f"data:{asset_type.mime_type};base64,{base64.b64encode(self._clean(content)).decode()}"


def require_drawable(root: Node) -> None:
    """Raise InvalidAssetError when references multiply the document: ten uses of ten uses, eight times over."""
    drawing = _Drawing(root)
    if drawing.cost(root, 0) > MAX_DRAWN:
        raise InvalidAssetError(f"the file is an SVG image whose references draw more than {MAX_DRAWN:,} elements")


class _Drawing:
    """Count of drawn elements, where what is referenced is drawn again at each reference."""

    def __init__(self, root: Node) -> None:
        self._by_id: dict[str, Node] = {}
        self._costs: dict[int, int] = {}
        nodes = [root]
        while nodes:
            node = nodes.pop()
            self._by_id.update((value, node) for name, value in node.attributes if name == "id")
            nodes.extend(child for child in node.children if isinstance(child, Node))

    def cost(self, node: Node, depth: int) -> int:
        """Return the number of elements that a node draws. A reference back to itself draws nothing, as in browsers."""
        if depth > MAX_REFERENCE_DEPTH:
            raise InvalidAssetError(
                f"the file is an SVG image with references through more than {MAX_REFERENCE_DEPTH} elements"
            )
        key = id(node)
        known = self._costs.get(key)
        if known is not None:
            return known
        self._costs[key] = 0
        total = 1
        for child in node.children:
            if isinstance(child, Node):
                total += self.cost(child, depth + 1)
        for name in _references(node):
            if target := self._by_id.get(name):
                total += self.cost(target, depth + 1)
        self._costs[key] = total
        return total


def _references(node: Node) -> list[str]:
    names = []
    for name, value in node.attributes:
        if name == "href" and value[0] == "#":
            names.append(value[1:])
        elif "url(" in value:
            names.extend(_URL.findall(value))
    return names
