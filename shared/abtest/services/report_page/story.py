"""History of the experiment, and the source of its numbers."""

from collections.abc import Mapping

from abtest.contract.report import Report, TimelineBy
from abtest.kit.markup import Child, Html, el
from abtest.services.report_page import wording

_BY: Mapping[TimelineBy, str] = {
    "person": "by a person",
    "schedule": "by schedule",
    "auto_stop": "by auto-stop",
    "guardian": "by Guardian",
    "system": "by the system",
}


def timeline(report: Report) -> Html | None:
    """Return the history, oldest entry first; None without entries."""
    if not report.timeline:
        return None
    left = report.timeline_left_out
    lead = el("p", f"{left:,} earlier entries are not shown.", class_="lead") if left else None
    heading = el("h2", "What happened", id="story")
    entries = []
    for entry in report.timeline:
        text = el("p", wording.sentence(entry.sentence), " ", el("span", _BY[entry.by], class_="soft"))
        entries.append(el("li", _time(entry.moment), text, class_=f"is-{entry.kind}"))
    listed = el("ol", entries, class_="story", role="list")
    return el("section", heading, lead, listed, aria_labelledby="story")


def source(report: Report) -> Html:
    """Return the footer: engine, generation, moments, and the beginning of the measurement."""
    facts: list[tuple[str, Child]] = [
        ("Engine", [wording.ENGINES[report.engine], ". ", wording.sentence(report.engine_message)]),
        ("Correction", wording.sentence(report.correction_message)),
        ("Significance level", wording.share(report.alpha)),
        ("Generation of the counts", wording.count(report.generation)),
        ("Counted at", _time(report.computed_at)),
        ("Newest event", _time(report.through)),
        ("Measurement", [f"number {report.measurement.epoch:,}. ", wording.sentence(report.measurement.message)]),
        ("Currency", report.currency),
        ("Experiment", report.experiment.public_id or report.experiment.id),
    ]
    listed = el("dl", [_fact(name, value) for name, value in facts], made(report))
    return el("footer", el("h2", "Where the numbers come from", id="source"), listed, aria_labelledby="source")


def made(report: Report) -> Html:
    """Return the moment of the request, the only part of the page that contains it."""
    return _fact("Report made", _time(report.generated_at))


def _fact(name: str, value: Child) -> Html:
    return el("div", el("dt", name), el("dd", value))


def _time(moment: str | None) -> Html | str:
    return wording.NONE if moment is None else el("time", wording.minute(moment), datetime=moment)
