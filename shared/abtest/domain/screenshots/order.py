"""Order of a screenshot job, and its plan: one shot of each address, in each variation, in each viewport."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import product

from abtest.domain.browsing.viewport import DESKTOP, PHONE, Viewport
from abtest.kit.clock import from_milliseconds
from abtest.kit.documents import Document, decode, encode
from abtest.kit.errors import refused
from abtest.kit.ids import named_uuid7, uuid7_milliseconds

MAX_URLS = 20
MAX_VIEWPORTS = 10
MAX_SHOTS = 60

VIEWPORTS: tuple[Viewport, ...] = (PHONE, DESKTOP)
"""Windows of a job that names none."""

WITHOUT_EXPERIMENTS: tuple[str | None, ...] = (None,)
"""Variations of a job without an experiment: the page as it is, without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenshotOrder:
    """Requested pictures. In `variation_ids`, None is the page without the experiment."""

    urls: tuple[str, ...]
    viewports: tuple[Viewport, ...] = VIEWPORTS
    full_page: bool = False
    experiment_id: str | None = None
    variation_ids: tuple[str | None, ...] = WITHOUT_EXPERIMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One picture of a job. Its place in the job never changes, so that its asset has the same id in each attempt."""

    place: int
    url: str
    variation_id: str | None
    viewport: Viewport


def planned(order: ScreenshotOrder) -> tuple[Shot, ...]:
    """Return the shots in their order: those of one address and viewport are next to each other."""
    return tuple(
        Shot(place=place, url=url, variation_id=variation_id, viewport=viewport)
        for place, (url, viewport, variation_id) in enumerate(product(order.urls, order.viewports, order.variation_ids))
    )


def refuse_too_many(order: ScreenshotOrder, path: str = "urls") -> None:
    """Raise ValidationFailedError, which names the field `path`, for more shots than one job takes."""
    urls, variations, viewports = len(order.urls), len(order.variation_ids), len(order.viewports)
    if (shots := urls * variations * viewports) > MAX_SHOTS:
        raise refused(
            path,
            f"{urls} addresses in {variations} variations and {viewports} viewports are {shots} pictures; "
            f"one job takes {MAX_SHOTS} at most, so split it",
        )


def asset_id_of(job_id: str, place: int) -> str:
    """Return the id of the asset of a shot, which sorts by the time of its job and then by its place."""
    moment = from_milliseconds(uuid7_milliseconds(job_id)) + timedelta(microseconds=place)
    return named_uuid7(moment, f"screenshot#{job_id}#{place}")


def order_document(order: ScreenshotOrder) -> Document:
    """Return the stored form of an order, which its job keeps."""
    return encode(order)


def order_from(document: Mapping[str, object]) -> ScreenshotOrder:
    """Return the order of a stored form."""
    return decode(ScreenshotOrder, document)
