"""Attributes of a sanitised SVG."""

from abtest.domain.assets.svg_css import CssFilter
from abtest.domain.assets.svg_references import CleanImage, EmbeddedImages, fragment
from abtest.domain.assets.svg_vocabulary import ANIMATIONS, CSS_VALUES, IMAGES, PLAIN, PRESENTATION

_XLINK_HREF = "http://www.w3.org/1999/xlink href"
_XML = {
    "http://www.w3.org/XML/1998/namespace space": "xml:space",
    "http://www.w3.org/XML/1998/namespace lang": "xml:lang",
}


class AttributeFilter:
    """Filter for the attributes of one document; `removed` collects the names of what it leaves out."""

    def __init__(self, clean_image: CleanImage) -> None:
        self.css = CssFilter()
        self.removed = self.css.removed
        self._images = EmbeddedImages(clean_image)

    def kept(self, tag: str, given: list[str]) -> list[tuple[str, str]]:
        """Return the allowed ones of an element's attributes, which are given as names and values in turn."""
        kept: dict[str, str] = {}
        for name, value in zip(given[::2], given[1::2], strict=True):
            plain_name = _XML.get(name, "href" if name == _XLINK_HREF else name)
            if name == _XLINK_HREF and "href" in given[::2]:  # browsers ignore it then
                continue
            allowed = self._value(tag, plain_name, value)
            if allowed is None:
                self.removed.add(plain_name.rpartition(" ")[2][:40])
            else:
                kept[plain_name] = allowed
        return list(kept.items())

    def _value(self, tag: str, name: str, value: str) -> str | None:
        """Return the value that an attribute keeps; None removes the attribute."""
        if name == "href":
            return self._href(tag, value)
        if name == "style":
            return self.css.style(value) or None
        if name in PRESENTATION or (name in CSS_VALUES and tag in ANIMATIONS):
            return self.css.value(value)
        is_plain = name in PLAIN or name in _XML.values() or name.startswith("aria-")
        # `values` of feColorMatrix are numbers; for animations they were parsed above.
        return value if is_plain or name == "values" else None

    def _href(self, tag: str, value: str) -> str | None:
        if tag == "g":  # a link: only its content stays
            return None
        reference = fragment(value)
        if reference is None and tag in IMAGES:
            return self._images.href(value)
        return None if reference is not None and tag == "image" else reference
