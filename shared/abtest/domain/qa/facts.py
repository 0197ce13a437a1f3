"""Facts about a page in one window of a browser, as `services/pages/qa_scripts/facts.js` gathers them."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from abtest.domain.browsing.viewport import Viewport


class Element(TypedDict):
    """Element of a page: a CSS selector that finds it alone, and what it is in words, such as “the link “Order””."""

    selector: str
    words: str


class Past(Element):
    """Element that begins or ends outside of the window; `right` is its right edge in pixels."""

    right: int


class Layout(TypedDict):
    """Page at one width. `absent` are links and buttons that take no room at all at this width."""

    width: int
    scroll_width: int
    past_the_edge: list[Past]
    absent: list[Element]


class BlockText(Element):
    """Visible text of a block."""

    text: str


class SmallText(Element):
    """Element with text of its own, and the size of its letters in pixels."""

    size: float


class Control(Element):
    """Link or button that cannot be used: invisible, covered, outside or unreachable."""

    problem: str
    by: Element | None


class Image(Element):
    """Image with the size of its file, and the size at which it is shown, both in pixels of the device."""

    src: str
    is_decoded: bool
    file_width: int
    file_height: int
    shown_width: float
    shown_height: float


class Shift(TypedDict):
    """Move of what was shown already, in the measure of layout shifts, and milliseconds after the start."""

    value: float
    at: float
    selector: str | None
    words: str | None


class Paint(TypedDict, total=False):
    """Largest paint: milliseconds after the start, and its element if that still exists."""

    at: float
    selector: str
    words: str


class Resource(TypedDict):
    """File that the page loaded, with its bytes on the wire."""

    url: str
    bytes: int
    kind: str


class BarrierNode(Element):
    """Element that breaks a rule of accessibility. `impact` and `data` are axe-core's."""

    impact: str
    data: Any


class Barrier(TypedDict):
    """Rule of axe-core that elements break."""

    rule: str
    help: str
    nodes: list[BarrierNode]


class EmptySubmit(Element):
    """Form that was submitted empty, and the messages that the browser showed about `required` fields."""

    has_button: bool
    required: int
    is_sent: bool
    messages: list[str]


class PageFacts(TypedDict):
    """Everything that is gathered in a window."""

    lang: str
    viewport_meta: str | None
    headings: list[Element]
    nodes: int
    layout: Layout
    texts: list[BlockText]
    small_texts: list[SmallText]
    controls: list[Control]
    images: list[Image]
    shifts: list[Shift]
    largest_paint: Paint | None
    long_tasks: list[float]
    resources: list[Resource]
    barriers: list[Barrier]
    forms: list[EmptySubmit]


class Complaint(NamedTuple):
    """Entry of the console: an uncaught exception, a violation of the policy, an error or a warning."""

    level: str
    text: str


class Sent(NamedTuple):
    """Request of the page. `problem` ends a sentence about one without a good answer."""

    url: str
    problem: str | None


class Look(NamedTuple):
    """Page in one window: its facts, its layout at further widths, what it complained about and requested."""

    viewport: Viewport
    facts: PageFacts
    layouts: Sequence[Layout]
    complaints: Sequence[Complaint]
    requests: Sequence[Sent]


class Page(NamedTuple):
    """Page that is looked at: its own address, and the origins that it may load from."""

    address: str
    edge_origin: str
    assets_origin: str
    banned_phrases: Sequence[str] = ()
    is_strict: bool = False
