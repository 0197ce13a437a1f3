"""Results of a job: its outcomes together with what was ordered."""

from abtest.contract.screenshots import Screenshot, ScreenshotWindow
from abtest.domain.screenshots.order import ScreenshotOrder, Shot, planned
from abtest.domain.screenshots.outcomes import Film, Outcome


def results_of(order: ScreenshotOrder, film: Film, origin: str) -> list[Screenshot]:
    """Return the outcomes so far, in the order of the shots; `origin` is that of public files."""
    shots = {shot.place: shot for shot in planned(order)}
    return [_result(shots[outcome.place], outcome, origin) for outcome in film.outcomes if outcome.place in shots]


def _result(shot: Shot, outcome: Outcome, origin: str) -> Screenshot:
    viewport = shot.viewport
    return Screenshot(
        url=shot.url,
        variation_id=shot.variation_id,
        viewport=ScreenshotWindow(width=viewport.width, height=viewport.height, device_scale=viewport.device_scale),
        asset_id=outcome.asset_id,
        public_url=f"{origin}/{outcome.file_key}" if outcome.file_key else None,
        width=outcome.width,
        height=outcome.height,
        sha256=outcome.sha256,
        truncated=outcome.is_truncated,
        error=outcome.error,
    )
