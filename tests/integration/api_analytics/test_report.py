"""The report over HTTP, as facts and as a page, from events that came the whole way."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from tests.integration.api_analytics.conftest import Lab, ordered, reached, seen
from tests.integration.api_analytics.looking import watch
from tests.support.client import Answer

NAME = '</script><img src=x onerror="alert(1)"> قميص'


def report(lab: Lab, experiment: dict[str, Any], form: str | None = "html", **headers: str) -> Answer:
    query = {"format": form} if form else {}
    return lab.client.get(f"/experiments/{experiment['id']}/report", query=query, headers=headers)


def text_of(answer: Answer) -> str:
    return answer.body.decode()


def counted(lab: Lab) -> dict[str, Any]:
    """Two hundred visitors, twice as many of whom buy when treated."""
    experiment = lab.launched(name=NAME, description="<b>why</b>")
    for number in range(200):
        visitor, variation = f"v-{number}", number % 2
        events = [seen(experiment, visitor, variation)]
        if number // 2 % 10 < 3 + 3 * variation:
            events += [
                reached(experiment, visitor, 0),
                ordered(visitor, f"o-{number}", 10.5, ("EUR", "USD")[number % 2]),
            ]
        lab.send(*events)
    lab.settle()
    return experiment


def test_report__as_a_page__says_the_facts_of_the_other_form_and_nothing_as_markup(lab: Lab) -> None:
    experiment = counted(lab)
    facts, page = report(lab, experiment, "json").json(), report(lab, experiment)
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert facts["verdict"]["sentence"].partition("“")[0] in text_of(page)
    assert f"{sum(arm['visitors'] for arm in facts['experiment']['variations']):,}" in text_of(page)
    assert re.search(rf"Generation of the counts</dt><dd>{facts['generation']}</dd>", text_of(page))
    assert "USD" in text_of(page)
    assert "<img" not in text_of(page)
    assert "<script" not in text_of(page)
    assert "<b>why" not in text_of(page)
    assert "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt; قميص" in text_of(page)


def test_report__advises_in_the_same_words_in_both_forms(lab: Lab) -> None:
    experiment = counted(lab)
    facts, page = report(lab, experiment, "json").json(), unescape(text_of(report(lab, experiment)))
    assert (facts["next_step"]["code"], facts["measured_time"]["warning"]) == ("make_plan", "under_a_week")
    assert (facts["worth"]["not_evaluable"], facts["worth"]["currency"]) == ("excluded_currency_residue", "EUR")
    assert (facts["implausible_lifts"], facts["early_stop"]) == ([], None)
    assert facts["correction_message"] == "Holm, across the treatments of a goal"
    for sentence in (facts["next_step"]["sentence"], facts["measured_time"]["message"], facts["worth"]["message"]):
        assert sentence in page
    assert facts["correction_message"] in page


def test_report__without_a_format__is_the_facts(lab: Lab) -> None:
    experiment = lab.launched()
    facts = report(lab, experiment, None)
    assert facts.headers["content-type"] == "application/json"
    assert facts.json()["verdict"]["status"] == "no_data"


def test_page__header_fields__keep_everything_else_out_and_name_a_file(lab: Lab) -> None:
    experiment = lab.launched(name=NAME)
    headers = report(lab, experiment).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert headers["content-disposition"] == (
        f'inline; filename="report-{experiment["public_id"]}.html"; '
        "filename*=UTF-8''%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3D%22alert%281%29%22%3E%20"
        "%D9%82%D9%85%D9%8A%D8%B5%20report.html"
    )
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("form", ["html", "json"])
def test_report__asked_for_again__is_304_until_something_else_is_said(lab: Lab, form: str) -> None:
    experiment = counted(lab)
    tag = report(lab, experiment, form).headers["etag"]
    assert tag.startswith('W/"1-')
    lab.api.clock.advance(seconds=60)
    again = report(lab, experiment, form, **{"if-none-match": tag})
    assert (again.status, again.body) == (304, b"")
    other = "json" if form == "html" else "html"
    assert report(lab, experiment, other, **{"if-none-match": tag}).status == 200
    lab.settle()
    counted_anew = report(lab, experiment, form, **{"if-none-match": tag})
    assert counted_anew.status == 200
    assert counted_anew.headers["etag"].startswith('W/"2-')
    tag = counted_anew.headers["etag"]
    assert lab.client.post(f"/experiments/{experiment['id']}/pause").status == 200
    assert report(lab, experiment, form, **{"if-none-match": tag}).status == 200


def test_report__before_guardian_looked__does_not_say_that_nothing_was_found(lab: Lab) -> None:
    experiment = counted(lab)
    assert report(lab, experiment, "json").json()["checked_at"] is None
    assert "Guardian has not looked yet" in text_of(report(lab, experiment))
    assert "Nothing found" not in text_of(report(lab, experiment))
    watch(lab)
    checked = report(lab, experiment, "json").json()["checked_at"]
    assert checked == timestamp(lab.api.clock.now())
    assert lab.results(experiment)["checked_at"] == checked
    assert "Guardian has not looked yet" not in text_of(report(lab, experiment))


@pytest.mark.parametrize("changed", ["page.numbers", "page.STYLESHEET", "trust.split_line"])
def test_page__of_a_release_that_renders_it_otherwise__is_no_304(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    experiment = counted(lab)
    tag = report(lab, experiment).headers["etag"]
    assert report(lab, experiment, **{"if-none-match": tag}).status == 304
    part = f"abtest.services.report_page.{changed}"
    monkeypatch.setattr(part, "" if "STYLESHEET" in changed else lambda *_: None)
    assert report(lab, experiment, **{"if-none-match": tag}).status == 200


@pytest.mark.parametrize("form", ["pdf", "HTML", ""])
def test_report__in_another_format__is_400_and_says_what_there_is(lab: Lab, form: str) -> None:
    experiment = lab.launched()
    answer = lab.client.get(f"/experiments/{experiment['id']}/report", query={"format": form})
    assert answer.status == 400
    (field,) = answer.json()["error"]["fields"]
    assert field["path"] == "format"
    assert "json" in field["message"]
    assert "html" in field["message"]


def test_report__of_a_draft__is_a_page_without_numbers(lab: Lab) -> None:
    made = lab.client.post("/experiments", {"name": "Headline"})
    page = report(lab, made.json())
    assert page.status == 200
    assert "Not started" in text_of(page)
    assert "All numbers" not in text_of(page)


def test_report__of_another_shop__is_as_unknown(lab: Lab) -> None:
    experiment = lab.launched()
    stranger = lab.api.client(lab.api.tenant().admin)
    found = stranger.get(f"/experiments/{experiment['id']}/report", query={"format": "html"})
    unknown = stranger.get(f"/experiments/{lab.api.world.new_id()}/report", query={"format": "html"})
    assert (found.status, unknown.status) == (404, 404)
    assert found.json()["error"]["message"] == unknown.json()["error"]["message"]
