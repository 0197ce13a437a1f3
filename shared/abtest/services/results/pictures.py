"""Pictures of an experiment for its report: the latest of each variation, in a size for a page."""

from collections.abc import Sequence

from abtest.contract.report import ReportPicture
from abtest.contract.screenshots import ScreenshotWindow
from abtest.domain.assets.model import Asset
from abtest.domain.browsing.viewport import Viewport
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.screenshots.latest import ShownPicture
from abtest.ports.catalog import Catalog
from abtest.services.assets.records import ASSETS
from abtest.services.screenshots.latest import read_latest

MIN_WIDTH = 640
"""Pixels of the smallest rendition that is sharp next to another on a page."""


def pictures_of(catalog: Catalog, experiment: Experiment, origin: str) -> list[ReportPicture]:
    """Return the latest pictures by window, in the order of variations; those that were deleted are missing."""
    latest = read_latest(catalog, experiment.shop_id, experiment.id)
    if latest is None:
        return []
    order = {variation_id: place for place, variation_id in enumerate(variation_order(experiment))}
    shown = [picture for picture in latest.pictures if picture.variation_id in order]
    records = catalog.get_many(experiment.shop_id, "ASSET", [picture.asset_id for picture in shown])
    assets = {record.head.id: ASSETS.from_record(record) for record in records}
    stored = [picture for picture in shown if picture.asset_id in assets]
    stored.sort(key=lambda picture: (picture.page_order, order[picture.variation_id]))
    return [_picture(picture, assets[picture.asset_id], origin) for picture in stored]


def variation_order(experiment: Experiment) -> Sequence[str | None]:
    """Return the columns of a report: the page without the experiment, the control, the treatments."""
    arms = sorted(in_use(experiment), key=lambda variation: not variation.is_control)
    return [None, *(arm.id for arm in arms)]


def _picture(picture: ShownPicture, asset: Asset, origin: str) -> ReportPicture:
    key, width, height = _sized(asset)
    return ReportPicture(
        variation_id=picture.variation_id,
        page_url=picture.url,
        viewport=_window(picture.viewport),
        taken_at=picture.taken_at,
        url=f"{origin}/{key}",
        width=width,
        height=height,
    )


def _sized(asset: Asset) -> tuple[str, int, int]:
    """Return key, width and height of the file to show: the smallest rendition that is wide enough.

    The original of a long page may be redirected to the bucket, which the policy of a report forbids. So it is shown
    only where there is no rendition, which is when it is small.
    """
    wide = [each for each in asset.renditions if each.width >= MIN_WIDTH] or list(asset.renditions[-1:])
    if wide:
        return asset.rendition_key(wide[0].width), wide[0].width, wide[0].height
    return asset.file_key, asset.width or 0, asset.height or 0


def _window(viewport: Viewport) -> ScreenshotWindow:
    return ScreenshotWindow(width=viewport.width, height=viewport.height, device_scale=viewport.device_scale)
