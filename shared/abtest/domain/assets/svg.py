"""Sanitised SVG: a new document of the elements and attributes on the allow-lists.

The uploaded text is parsed and never copied: what expat and tinycss2 do not report, the new document does not have.
"""

import re
from dataclasses import dataclass
from xml.parsers import expat

from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.svg_attributes import AttributeFilter
from abtest.domain.assets.svg_references import CleanImage, Node, require_drawable
from abtest.domain.assets.svg_vocabulary import ANIMATED, ANIMATIONS, ELEMENTS, IMAGES, TEXTS

MAX_SVG_BYTES = 4 << 20
MAX_NODES = 50_000
MAX_DEPTH = 128
_SVG = "http://www.w3.org/2000/svg"
_LENGTH = re.compile(r"\s*([0-9]{0,9}\.?[0-9]{1,9})(px|pt|pc|mm|cm|in)?\s*")
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_TEXT_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_VALUE_ESCAPES = _TEXT_ESCAPES | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitisedSvg:
    """New document, its size in pixels where it has one, and the names of what was removed."""

    content: bytes
    width: int | None
    height: int | None
    removed: tuple[str, ...]


def sanitised(content: bytes, clean_image: CleanImage) -> SanitisedSvg:
    """Return a document that runs no script and loads nothing. Raises InvalidAssetError.

    `clean_image` checks and cleans each embedded image.
    """
    if len(content) > MAX_SVG_BYTES:
        raise InvalidAssetError(f"the file is an SVG image of more than {MAX_SVG_BYTES >> 20} MiB")
    builder = _Builder(clean_image)
    builder.parse(content)
    root = builder.root
    require_drawable(root)
    width, height = _size(dict(root.attributes))
    text = "".join(_written(root, f' xmlns="{_SVG}"'))
    return SanitisedSvg(
        content=text.encode(), width=width, height=height, removed=tuple(sorted(builder.attributes.removed))
    )


class _Builder:
    """Handlers of the parser, which build the tree of the new document."""

    def __init__(self, clean_image: CleanImage) -> None:
        self.attributes = AttributeFilter(clean_image)
        self.root = Node("", [])
        self._path: list[Node] = []
        self._nodes = self._depth = 0
        self._removed_depth = 0
        """Depth of the removed element around the present place; 0 where all elements are kept."""

    def parse(self, content: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _refuse_declarations
        parser.EntityDeclHandler = _refuse_entity
        parser.SkippedEntityHandler = _refuse_entity
        parser.ProcessingInstructionHandler = self._instruction
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            place = f"line {error.lineno}, column {error.offset + 1}"
            raise InvalidAssetError(
                f"the file is an SVG image that is not well-formed XML at {place}: {expat.ErrorString(error.code)}"
            ) from None
        except (LookupError, ValueError):
            raise InvalidAssetError("the file is an SVG image in an unknown encoding; save it as UTF-8") from None

    def _start(self, name: str, attributes: list[str]) -> None:
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES:
            raise InvalidAssetError(f"the file is an SVG image with more than {MAX_NODES:,} elements")
        if self._depth > MAX_DEPTH:
            raise InvalidAssetError(f"the file is an SVG image whose elements are nested deeper than {MAX_DEPTH}")
        if self._removed_depth:
            return
        namespace, _, tag = name.rpartition(" ")
        node = self._kept(tag, attributes) if namespace == _SVG else None
        if node is None:
            if not self._path:
                raise InvalidAssetError(f'the first element must be `<svg xmlns="{_SVG}">`')
            self.attributes.removed.add(f"<{tag[:40]}>")
            self._removed_depth = self._depth
            return
        if self._path:
            self._path[-1].children.append(node)
        else:
            self.root = node
        self._path.append(node)

    def _kept(self, tag: str, attributes: list[str]) -> Node | None:
        """Return an element with its allowed attributes; None when it is removed together with its content."""
        if (not self._path and tag != "svg") or (self._path and self._path[-1].tag == "style"):
            return None
        if tag == "a":  # an image has no links; what is in them stays
            tag = "g"
        if tag not in ELEMENTS:
            return None
        node = Node(tag, self.attributes.kept(tag, attributes))
        values = dict(node.attributes)
        if tag in IMAGES and "href" not in values:
            return None
        is_bare = tag in ("animateMotion", "mpath")
        if tag in ANIMATIONS and not is_bare and values.get("attributeName") not in ANIMATED:
            return None
        return None if tag == "style" and values.get("type", "text/css") != "text/css" else node

    def _end(self, _name: str) -> None:
        if not self._removed_depth:
            node = self._path.pop()
            if node.tag == "style":
                sheet = self.attributes.css.sheet("".join(child for child in node.children if isinstance(child, str)))
                node.children = [sheet]
        elif self._removed_depth == self._depth:
            self._removed_depth = 0
        self._depth -= 1

    def _text(self, text: str) -> None:
        if not self._removed_depth and self._path[-1].tag in (*TEXTS, "style"):
            self._path[-1].children.append(text)

    def _instruction(self, target: str, _data: str) -> None:
        if target.lower() == "xml-stylesheet":
            raise InvalidAssetError(
                "the file is an SVG image with a style sheet of its own address; use a `<style>` element"
            )
        self.attributes.removed.add(f"<?{target[:40]}?>")


def _refuse_declarations(_name: str, _system: str | None, _public: str | None, has_subset: int) -> None:
    """Refuse a document type with declarations of its own. One without any is left out of the new document."""
    if has_subset:
        raise InvalidAssetError("the file is an SVG image with declarations in its DOCTYPE; save it without them")


def _refuse_entity(*_: object) -> None:
    raise InvalidAssetError("the file is an SVG image with entities of its own; save it without them")


def _written(node: Node, declaration: str = "") -> list[str]:
    attributes = "".join(f' {name}="{value.translate(_VALUE_ESCAPES)}"' for name, value in node.attributes)
    if not node.children:
        return [f"<{node.tag}{declaration}{attributes}/>"]
    parts = [f"<{node.tag}{declaration}{attributes}>"]
    for child in node.children:
        parts.extend([child.translate(_TEXT_ESCAPES)] if isinstance(child, str) else _written(child))
    parts.append(f"</{node.tag}>")
    return parts


def _size(attributes: dict[str, str]) -> tuple[int | None, int | None]:
    """Return width and height in pixels: the attributes, else those of the view box."""
    box = re.split(r"[\s,]+", attributes.get("viewBox", "").strip()[:200])
    sides = box[2:] if len(box) == 4 else ["", ""]
    width = _pixels(attributes.get("width", "")) or _pixels(sides[0])
    height = _pixels(attributes.get("height", "")) or _pixels(sides[1])
    return (width, height) if width and height else (None, None)


def _pixels(length: str) -> int | None:
    match = _LENGTH.fullmatch(length[:40])
    return max(1, round(float(match[1]) * _PIXELS[match[2] or ""])) if match else None
