"""The report as one page: no script or font is loaded, and no picture but those of the variations."""

from urllib.parse import quote

from abtest.contract.report import Report
from abtest.kit.markup import Html, clean, el
from abtest.services.report_page.advice import guardrails, worth
from abtest.services.report_page.arms import arms_of
from abtest.services.report_page.courses import courses
from abtest.services.report_page.curves import curves
from abtest.services.report_page.forest import forest
from abtest.services.report_page.headline import header, verdict
from abtest.services.report_page.looks import planned_looks
from abtest.services.report_page.pictures import picture_origins, pictures
from abtest.services.report_page.story import made, source, timeline
from abtest.services.report_page.stylesheet import STYLESHEET
from abtest.services.report_page.tables import numbers, segments
from abtest.services.report_page.trust import health, plan, set_aside

_NAME = 80


def policy(report: Report) -> str:
    """Return the Content-Security-Policy of the response. The page repeats it, for when it is opened as a file."""
    return f"{_within(report)}; frame-ancestors 'none'"


def render_report(report: Report) -> str:
    """Return the document. All typed text is escaped."""
    arms = arms_of(report)
    is_counted = report.computed_at is not None
    head = [
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_within(report)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", name="robots", content="noindex"),
        el("title", f"{report.experiment.name}: experiment report"),
        el("style", Html(STYLESHEET)),
    ]
    main = [
        verdict(report, arms),
        worth(report),
        guardrails(report),
        health(report, arms),
        plan(report),
        planned_looks(report, arms),
        pictures(report, arms),
        [forest(report, arms), courses(report, arms), curves(report, arms)] if is_counted else None,
        segments(report, arms),
        set_aside(report.money_set_aside, arms),
        timeline(report),
        numbers(report, arms) if is_counted else None,
    ]
    body = el("body", header(report), el("main", main), source(report))
    return f"<!doctype html>\n{el('html', el('head', head), body, lang='en')}\n"


def _within(report: Report) -> str:
    images = " ".join(["data:", *picture_origins(report)])
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src {images}; base-uri 'none'; form-action 'none'"


def lasting(page: str, report: Report) -> str:
    """Return a rendered page without the moment of the request, which is not a change of the report."""
    # The ETag is computed from this, so that an unchanged report answers 304.
    return page.replace(made(report), "", 1)


def filename(report: Report) -> str:
    """Return the file name as parameters of Content-Disposition: in ASCII, and in UTF-8 for newer browsers."""
    experiment = report.experiment
    name = clean(" ".join(experiment.name.split()))[:_NAME].strip()
    plain = f"report-{experiment.public_id or experiment.id}.html"
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(f'{name} report.html', safe='')}"
