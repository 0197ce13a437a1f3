"""Route of the overview: running and paused experiments."""

from hashlib import sha256
from typing import Annotated, Any

from starlette.responses import Response

from abtest.contract.overview import Overview
from abtest.http.deps import Page, use
from abtest.http.route import Router
from abtest.services.overview import OverviewReading
from api_analytics.endpoints.vocabulary import ResultsReader

ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The overview, with an ETag"},
    304: {"description": "Not modified since the ETag in If-None-Match"},
}

router = Router("/analytics", tag="Analytics")


@router.get("/overview", operation_id="getAnalyticsOverview", responses=ANSWERS)
def get_overview(
    caller: ResultsReader, page: Page, overviews: Annotated[OverviewReading, use(OverviewReading)], response: Response
) -> Overview:
    """Return running and paused experiments, newest first, each with its figures, and what waits in the shop.

    Figures are those of `GET /experiments/{id}/results` in the deciding goal, by the default engine, and the sentence
    is that of the report. Counts by status, approvals and the like are of the whole shop in every page. The ETag
    changes with any content except the time of the request, so polling every 30 seconds is cheap.
    """
    overview = overviews.read(caller, limit=page.limit, after=page.after, place=page.position)
    # The time of the request would change the ETag of every response.
    facts = overview.model_dump_json(exclude={"generated_at"})
    response.headers["ETag"] = f'W/"overview-{sha256(facts.encode()).hexdigest()[:16]}"'
    return overview
