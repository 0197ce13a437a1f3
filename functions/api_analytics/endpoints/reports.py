"""The report of an experiment, as facts or as a page."""

from hashlib import sha256
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from abtest.contract import report as contract
from abtest.contract.base import Reference
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.services.report_page import filename, lasting, policy, render_report
from abtest.services.results import ReportReading
from api_analytics.endpoints.vocabulary import ResultsReader

Format = Annotated[
    contract.Format,
    Query(alias="format", description="`json` for the facts, `html` for one self-contained page."),
]
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The report, with an ETag", "content": {"text/html": {"schema": {"type": "string"}}}},
    304: {"description": "Not modified since the ETag in If-None-Match"},
}

router = Router("/experiments", tag="Results")


@router.get(
    "/{experiment_id}/report",
    operation_id="getExperimentReport",
    response_model=contract.Report,
    responses={**ANSWERS, **errors(NotFoundError)},
)
def get(
    experiment_id: Reference,
    caller: ResultsReader,
    reports: Annotated[ReportReading, use(ReportReading)],
    response: Response,
    form: Format = "json",
) -> contract.Report | Response:
    """Return a report for people: the verdict in one sentence, and the evidence behind it.

    `format` is `json` (the default) or `html`; any other value is 400. The page runs no scripts, and loads only the
    latest pictures of the variations, so it can be saved, printed and shared. The ETag begins with the generation and
    changes with any content except the time of the request.
    """
    report = reports.read(caller, experiment_id)
    if form == "html":
        page = render_report(report)
        headers = {
            "Content-Security-Policy": policy(report),
            "Content-Disposition": f"inline; {filename(report)}",
            "ETag": entity_tag(report, form, lasting(page, report).encode()),
        }
        return Response(page, media_type="text/html", headers=headers)
    # The time of the request would change the ETag of every response.
    facts = canonical_json.encode(report.model_dump(exclude={"generated_at"}))
    response.headers["ETag"] = entity_tag(report, form, facts)
    return report


def entity_tag(report: contract.Report, form: contract.Format, content: bytes) -> str:
    """Return the ETag of the whole response, so that a release that renders the same facts differently changes it."""
    return f'W/"{report.generation or 0}-{form}-{sha256(content).hexdigest()[:16]}"'
