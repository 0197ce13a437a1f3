"""Screenshot jobs on the wire."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Reference, Unique
from abtest.contract.urls import WebUrl
from abtest.domain.browsing.viewport import TOUCH_BELOW, Viewport
from abtest.domain.jobs.model import JobStatus
from abtest.domain.screenshots.order import MAX_SHOTS, MAX_URLS, MAX_VIEWPORTS

_EXAMPLE: dict[str, Any] = {
    "urls": ["https://shop.example/", "https://shop.example/sale"],
    "viewports": [{"width": 390, "height": 844, "device_scale": 2}, {"width": 1280, "height": 800}],
}


class ScreenshotViewport(Input):
    """A window of a browser. `device_scale` defaults to 1; below 768 pixels it is a device with a touch screen."""

    width: Annotated[int, Field(ge=320, le=3840)]
    height: Annotated[int, Field(ge=320, le=3840)]
    device_scale: Annotated[int, Field(ge=1, le=3)] = ABSENT

    def viewport(self) -> Viewport:
        """Return the viewport with its defaults."""
        scale: int = self.provided().get("device_scale", 1)
        return Viewport(width=self.width, height=self.height, device_scale=scale, touch=self.width < TOUCH_BELOW)


ScreenshotUrls = Annotated[list[WebUrl], Field(min_length=1, max_length=MAX_URLS), Unique]
ScreenshotViewports = Annotated[list[ScreenshotViewport], Field(min_length=1, max_length=MAX_VIEWPORTS)]


class ScreenshotJobCreate(Input):
    """Pictures of addresses; with an experiment, in each of its variations that are in use."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    urls: ScreenshotUrls
    viewports: ScreenshotViewports = ABSENT
    full_page: bool = ABSENT
    experiment_id: Reference | None = ABSENT
    variation_ids: Annotated[list[Reference], Field(min_length=1, max_length=MAX_SHOTS), Unique] | None = ABSENT

    def provided(self) -> Any:
        """Return the fields of the request, viewports with their defaults; nulls are absent."""
        fields: dict[str, Any] = {name: value for name, value in super().provided().items() if value is not None}
        if "viewports" in fields:
            fields["viewports"] = tuple(each.viewport() for each in self.viewports)
        return fields


class ScreenshotWindow(Output):
    """A window of a browser, in pixels of the page."""

    width: int
    height: int
    device_scale: int


class Screenshot(Output):
    """A picture of a job, or the reason why there is none. Sizes are in pixels of the picture."""

    url: str
    variation_id: Id | None
    viewport: ScreenshotWindow
    asset_id: Id | None
    public_url: str | None
    width: int | None
    height: int | None
    sha256: str | None
    truncated: bool
    error: str | None


class ScreenshotJob(Output):
    """A job that takes pictures of pages. `results` has those taken so far; lists leave it out."""

    job_id: Id
    status: JobStatus
    progress: Annotated[int, Field(ge=0, le=100)]
    experiment_id: Id | None
    shots: int
    results: list[Screenshot] | None = ABSENT
    error: str | None
    created_at: DateTime
    completed_at: DateTime | None


def event_results(results: list[Screenshot]) -> Mapping[str, Any]:
    """Return the `results` of the event `screenshots.completed`."""
    return {"screenshots": [each.model_dump() for each in results]}
