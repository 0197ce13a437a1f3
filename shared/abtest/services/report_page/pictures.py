"""Pictures of the variations, those of one page in one window next to each other."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from ada_url import URL

from abtest.contract.report import Report, ReportPicture
from abtest.domain.browsing.viewport import TOUCH_BELOW
from abtest.kit.markup import Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm

WITHOUT = "Without the experiment"


def pictures(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return the latest pictures by window; None without any."""
    if not report.pictures:
        return None
    heading = el("h2", "What visitors see", id="pictures")
    rows = [_row(list(each), arms) for _, each in groupby(report.pictures, lambda one: (one.page_url, one.viewport))]
    return el("section", heading, rows, aria_labelledby="pictures")


def picture_origins(report: Report) -> Iterator[str]:
    """Yield the origins of the pictures, which the policy of the page has to allow."""
    yield from sorted({str(URL(picture.url).origin) for picture in report.pictures})


def _row(row: list[ReportPicture], arms: Mapping[str, Arm]) -> Html:
    first = row[0]
    window = f"{first.viewport.width} x {first.viewport.height}"
    device = "Phone" if first.viewport.width < TOUCH_BELOW else "Desktop"
    name = el("h3", f"{device}, {window} pixels ", el("small", typed(first.page_url)))
    shown = [_figure(picture, arms, window) for picture in row]
    return el("div", name, el("div", shown, class_="shots"), class_="window")


def _figure(picture: ReportPicture, arms: Mapping[str, Arm], window: str) -> Html:
    arm = arms.get(picture.variation_id or "")
    moment = el("time", wording.minute(picture.taken_at), datetime=picture.taken_at)
    caption = el("figcaption", arm.named() if arm else WITHOUT, " ", el("span", moment, class_="soft"))
    described = f"The page with variation {arm.name}" if arm else "The page without the experiment"
    image = el(
        "img",
        src=picture.url,
        width=str(picture.width),
        height=str(picture.height),
        alt=f"{described}, in a window of {window} pixels",
    )
    return el("figure", image, caption)
