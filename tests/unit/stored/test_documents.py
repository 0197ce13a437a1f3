"""Documents of an earlier release are read by this one, and written again they are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from abtest.adapters import catalog_documents
from abtest.domain.assignment.prepared import prepare
from abtest.domain.credentials import stored_keys
from abtest.domain.delivery.manifest import read_pointer, write_pointer
from abtest.domain.exclusion_groups.documents import exclusion_group_document, exclusion_group_from
from abtest.domain.experiments.model import Experiment
from abtest.domain.exports.order import order_document, order_from
from abtest.domain.flags.model import Flag
from abtest.domain.goals.model import Goal
from abtest.domain.guardian.cases import state_document, state_from
from abtest.domain.jobs import model as jobs
from abtest.domain.ledger.rollup_documents import counts_of, goal_count, shop_day_document, shop_day_of
from abtest.domain.personalizations.model import Personalization
from abtest.domain.reusable.model import target_document, target_from
from abtest.domain.settings import consent, environments, external_tracking
from abtest.domain.settings import shop as shops
from abtest.domain.settings.runtime import CONSENT, ENVIRONMENTS, EXTERNAL_TRACKING
from abtest.domain.signals.model import trigger_document, trigger_from
from abtest.domain.webhooks import deliveries, endpoint
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Claim
from tests.support.stored import RELEASED, stored

Document = Mapping[str, Any]

READERS: Mapping[str, Callable[[Document, int], Any]] = {
    "EXP": lambda body, _: decode(Experiment, body),
    "GOAL": lambda body, _: decode(Goal, body),
    "KEY": stored_keys.from_document,
    "SHOP": shops.from_document,
    "FLAG": lambda body, _: decode(Flag, body),
    "PZN": lambda body, _: decode(Personalization, body),
    "PAGE": lambda body, _: target_from("PAGE", body),
    "AUD": lambda body, _: target_from("AUD", body),
    "GRP": lambda body, _: exclusion_group_from(body),
    "DLT": lambda body, _: trigger_from(body),
    "JOB": jobs.job_from,
    "GUARD": lambda body, _: state_from(body),
    "HOOK": endpoint.webhook_from,
}
WRITERS: Mapping[str, Callable[[Any], Document]] = {
    "EXP": encode,
    "GOAL": encode,
    "KEY": stored_keys.to_document,
    "SHOP": shops.to_document,
    "FLAG": encode,
    "PZN": encode,
    "PAGE": target_document,
    "AUD": target_document,
    "GRP": exclusion_group_document,
    "DLT": trigger_document,
    "JOB": jobs.document_of,
    "GUARD": state_document,
    "HOOK": endpoint.document_of,
}
_OF_RATIOS: Document = {"numerator": None, "denominator": None}

YOUNGER: Mapping[str, Document] = {"EXP": {"file_names": None}, "GOAL": _OF_RATIOS, "SHOP": {"timezone": "UTC"}}
"""Per kind, the fields that it got since the documents were written, with their defaults."""

YOUNGER_PARTS: Mapping[str, Mapping[str, Document]] = {
    "EXP": {"approvals": {"screenshot_job_id": None}, "goals": _OF_RATIOS},
    "PZN": {"goals": _OF_RATIOS},
}
"""The same for the objects of a list, by the name of the list."""

SETTINGS: Mapping[str, Callable[[Document], Document]] = {
    CONSENT: lambda body: encode(consent.from_document(body)),
    ENVIRONMENTS: lambda body: encode(environments.from_document(body)),
    EXTERNAL_TRACKING: lambda body: encode(external_tracking.from_document(body)),
}
"""The settings that are read into dataclasses; the others stay the documents that they are."""


def lines(*names: str) -> list[Any]:
    """Each document of the files as a test case."""
    return [pytest.param(line, id=f"{name}-{at}") for name in names for at, line in enumerate(stored(name))]


def records(*kinds: str) -> list[Any]:
    """Each record of the kinds as a test case."""
    return lines(*(f"records/{kind}" for kind in kinds))


def as_stored(document: Document) -> Any:
    """The document as it is read back: lists where it has tuples."""
    return canonical_json.loads(canonical_json.encode(document))


@pytest.mark.parametrize("line", records(*RELEASED))
def test_record__read_and_written__is_the_same(line: Document) -> None:
    record = catalog_documents.read_record(canonical_json.encode(line))
    assert catalog_documents.write_record(record) == canonical_json.encode(line)
    assert (record.head.kind, record.head.version) == (line["head"]["kind"], line["head"]["version"])


@pytest.mark.parametrize("line", [case for case in records(*READERS) if case.values[0]["body"]])
def test_aggregate__of_a_stored_body__has_its_values_and_writes_it_again(line: Document) -> None:
    kind, body = line["head"]["kind"], line["body"]
    aggregate = READERS[kind](body, line["head"]["version"])
    assert_holds(aggregate, body)
    parts = {name: [defaults | each for each in body[name]] for name, defaults in YOUNGER_PARTS.get(kind, {}).items()}
    written, expected = WRITERS[kind](aggregate), {**YOUNGER.get(kind, {}), **body, **parts}
    assert as_stored(written) == expected  # before the bytes: a difference of objects names the field
    assert canonical_json.encode(written) == canonical_json.encode(expected)
    assert READERS[kind](WRITERS[kind](aggregate), line["head"]["version"]) == aggregate


@pytest.mark.parametrize("line", [case for case in records("SET") if case.values[0]["head"]["id"] in SETTINGS])
def test_setting__of_a_stored_body__is_written_as_it_was(line: Document) -> None:
    written = SETTINGS[line["head"]["id"]](line["body"])
    assert canonical_json.encode(written) == canonical_json.encode(line["body"])


@pytest.mark.parametrize("line", [case for case in records("JOB") if "since" in case.values[0]["body"]["request"]])
def test_export_order__of_a_stored_job__is_written_as_it_was(line: Document) -> None:
    request = line["body"]["request"]
    assert order_document(order_from(request)) == request


@pytest.mark.parametrize("line", lines("claims"))
def test_claim__with_stored_fields__can_be_made(line: dict[str, Any]) -> None:
    assert Claim(**line).target_id == line["target_id"]


@pytest.mark.parametrize("line", lines("audit", "outbox", "inbox"))
def test_row__read_and_written__is_the_same(line: Document) -> None:
    text = canonical_json.encode(line)
    if "diff" in line:
        assert catalog_documents.write_row(catalog_documents.read_audit(text)) == text
    elif "topic" in line:
        assert catalog_documents.write_row(catalog_documents.read_outbox(text)) == text
    else:
        assert catalog_documents.write_row(catalog_documents.read_inbox(text)) == text


@pytest.mark.parametrize("line", lines("deliveries"))
def test_delivery__read_and_written__is_the_same(line: Document) -> None:
    delivery = deliveries.delivery_from(line)
    assert_holds(delivery, line)
    assert canonical_json.encode(deliveries.document_of(delivery)) == canonical_json.encode(line)


@pytest.mark.parametrize("line", lines("rollups/totals"))
def test_totals__read__give_their_counts(line: Document) -> None:
    counts = counts_of(line)
    assert counts.multiple_exposure == line["multiple_exposure"]
    assert set(counts.goals) == set(line["goals"])
    for by_variation in line["goals"].values():
        assert all(goal_count(entry).converters == entry["converters"] for entry in by_variation.values())


@pytest.mark.parametrize("line", lines("rollups/day", "rollups/segment"))
def test_day_or_segment__read__has_the_cells_of_the_document(line: Document) -> None:
    counts = counts_of(stored("rollups/totals")[0], days=[line])
    assert sum(counts.visitors.values()) == sum(cell[-1] for cell in line["cells"])


@pytest.mark.parametrize("line", lines("rollups/shop_day"))
def test_shop_day__read_and_written__is_the_same(line: Document) -> None:
    written = shop_day_document(shop_day_of(line), generation=line["generation"], computed_at=line["computed_at"])
    assert canonical_json.encode(written) == canonical_json.encode(line)


def objects(prefix: str) -> list[Any]:
    """Stored objects of the prefix."""
    return [case for case in lines("objects") if case.values[0]["key"].startswith(prefix)]


@pytest.mark.parametrize("line", objects("pointers/"))
def test_pointer__read_and_written__is_the_same(line: Document) -> None:
    text = canonical_json.encode(line["json"])
    assert write_pointer(read_pointer(text)) == text


@pytest.mark.parametrize("line", [case for case in objects("objects/") if "json" in case.values[0]])
def test_config__prepared__leaves_nothing_out(line: Document) -> None:
    config = line["json"]
    prepared = prepare(config)
    assert len(prepared.personalizations) == len(config.get("personalizations", []))
    assert len(prepared.flags) == len(config.get("flags", []))


def assert_holds(value: Any, document: Any) -> None:
    """The fields of a dataclass, or what is inside a list of them, are those of the document."""
    if isinstance(value, tuple):
        assert len(value) == len(document)
        for each, line in zip(value, document, strict=True):
            assert_holds(each, line)
    elif is_dataclass(value):
        for field in fields(value):
            if field.name in document:
                assert_holds(getattr(value, field.name), document[field.name])
    else:
        assert value == document
