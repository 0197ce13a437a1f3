"""Latest pictures of an experiment's variations, which its report shows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from abtest.domain.browsing.viewport import Viewport
from abtest.domain.screenshots.order import ScreenshotOrder, planned
from abtest.domain.screenshots.outcomes import Film
from abtest.kit.clock import Timestamp

MAX_SHOWN_VIEWPORTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPicture:
    """Picture of one variation; None is the page without the experiment."""

    variation_id: str | None
    url: str
    viewport: Viewport
    asset_id: str
    taken_at: Timestamp

    @property
    def page_order(self) -> tuple[str, int, int, int]:
        """Return the key that sorts pictures of one page in one window next to each other, phones first."""
        viewport = self.viewport
        return self.url, viewport.width, viewport.height, viewport.device_scale


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestPictures:
    """The newest pictures of each variation of an experiment, whose id it has."""

    id: str
    shop_id: str
    version: int = 0
    created_at: Timestamp
    updated_at: Timestamp
    pictures: tuple[ShownPicture, ...] = ()


def shown_after(latest: LatestPictures, order: ScreenshotOrder, film: Film, now: Timestamp) -> LatestPictures:
    """Return the pictures after a job: those of its first address, and earlier ones of variations that it lacks."""
    taken = tuple(_shown(order, film, now))
    renewed = {picture.variation_id for picture in taken}
    earlier = tuple(picture for picture in latest.pictures if picture.variation_id not in renewed)
    return replace(latest, version=latest.version + 1, updated_at=now, pictures=(*earlier, *taken))


def _shown(order: ScreenshotOrder, film: Film, now: Timestamp) -> Iterator[ShownPicture]:
    shots = {shot.place: shot for shot in planned(order)}
    for outcome in film.outcomes:
        shot = shots[outcome.place]
        is_shown = shot.url == order.urls[0] and shot.viewport in order.viewports[:MAX_SHOWN_VIEWPORTS]
        if is_shown and outcome.asset_id is not None:
            yield ShownPicture(
                variation_id=shot.variation_id,
                url=shot.url,
                viewport=shot.viewport,
                asset_id=outcome.asset_id,
                taken_at=now,
            )
