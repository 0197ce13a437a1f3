"""What a publication reads of the catalog: every kind, references, pages of heads, items that cannot be read."""

import json
from typing import Any

import pytest

from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.domain.exclusion_groups.documents import exclusion_group_document
from abtest.domain.exclusion_groups.model import Member
from abtest.domain.pages.model import experiment_name
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Claim, Commit, Kind, Record
from tests.support.delivered import (
    ON_PHONES,
    PHONES,
    experience,
    flag,
    group,
    item_id,
    keep,
    keep_document,
    page_document,
    personalization,
)
from tests.support.memory import MemoryCatalog
from tests.support.storefronts import SHOP_ID, Storefront, experiment, experiment_id

PAGE, AUDIENCE = item_id(60), item_id(61)
NAMED = {"pageRules": [{"id": "r", "pageId": PAGE}], "segmentRules": [{"id": "s", "audienceId": AUDIENCE}]}
CART = {"include": [{"path": r"\/?cart\/?"}]}


@pytest.fixture
def storefront() -> Storefront:
    return Storefront()


def published(storefront: Storefront) -> tuple[dict[str, Any], list[str]]:
    """The config of production, and what the publication said."""
    outcome = storefront.publication.publish(SHOP_ID)
    assert outcome.ok
    pointer = storefront.blobs.get(pointer_key(SHOP_ID))
    assert pointer is not None
    found = storefront.blobs.get(object_key(read_pointer(pointer.content).config.sha256))
    assert found is not None
    return json.loads(found.content), list(outcome.reasons)


def keep_references(storefront: Storefront) -> None:
    keep_document(storefront.catalog, "PAGE", PAGE, page_document("/cart"))
    keep_document(storefront.catalog, "AUD", AUDIENCE, {"name": "Phones", "rules": PHONES})


def test_publish__of_everything__delivers_it_with_its_references(storefront: Storefront) -> None:
    keep_references(storefront)
    storefront.keep(experiment(targeting=NAMED))
    keep(storefront.catalog, personalization(targeting=NAMED))
    keep(storefront.catalog, flag(targeting=NAMED))
    keep(storefront.catalog, group(Member(experiment_id=experiment_id(1), share=0.5, ranges=((0, 5000),))))
    config, reasons = published(storefront)
    for found in (config["experiments"][0], config["personalizations"][0], config["flags"][0]):
        assert found["pages"] == {"mode": "any", "in": [CART], "out": []}
        assert found["audience"] == {"mode": "any", "in": [ON_PHONES], "out": []}
    assert config["experiments"][0]["group"]["ranges"] == [[0, 5000]]
    assert reasons == []


def test_publish__with_references_to_nothing__includes_nobody(storefront: Storefront) -> None:
    keep(storefront.catalog, flag(targeting=NAMED))
    (found,) = published(storefront)[0]["flags"]
    assert found["pages"]["in"] == [{"include": [{"re": "[]"}]}]
    assert found["audience"]["in"] == [{"$not": {}}]


def test_publish__with_the_pages_of_another_shop__does_not_see_them(storefront: Storefront) -> None:
    other = "0192a3b4-0000-7000-8000-00000000000b"
    keep_document(storefront.catalog, "PAGE", PAGE, page_document("/cart"), shop_id=other)
    keep(storefront.catalog, flag(targeting={"pageRules": [{"id": "r", "pageId": PAGE}]}))
    assert published(storefront)[0]["flags"][0]["pages"]["in"] == [{"include": [{"re": "[]"}]}]


def test_publish__of_more_than_a_page_of_each_kind__delivers_all(storefront: Storefront) -> None:
    for number in range(120):
        name = f"0192a3b4-0000-7000-8000-0000000070{number:02x}"
        keep_document(storefront.catalog, "PAGE", name, page_document(f"/p{number}"))
        targeting = {"pageRules": [{"id": "r", "pageId": name}]}
        keep(storefront.catalog, flag(id=f"0192a3b4-0000-7000-8000-000000001{number:03d}", targeting=targeting))
        keep(storefront.catalog, personalization(id=f"0192a3b4-0000-7000-8000-000000002{number:03d}"))
    config, _ = published(storefront)
    assert (len(config["flags"]), len(config["personalizations"])) == (120, 120)
    paths = {each["pages"]["in"][0]["include"][0]["path"] for each in config["flags"]}
    assert len(paths) == 120


def test_publish__of_scripts_of_personalizations__leaves_broken_ones_out(storefront: Storefront) -> None:
    broken = experience(custom_js="a = ;", reset_js="ok()", custom_css="p{}")
    keep(storefront.catalog, personalization(experiences=(broken,)))
    config, reasons = published(storefront)
    (found,) = config["personalizations"][0]["experiences"]
    assert (found["css"], found["reset_js"], "js" in found) == ("p{}", "ok()", False)
    (reason,) = reasons
    assert reason.startswith("'Personalization 1' / 'Experience 0': JS is left out: line 1, column 5: ")


# ------------------------------------------------------------------ what cannot be read


@pytest.mark.parametrize(
    ("kind", "status", "named"),
    [
        ("EXP", "running", "experiment"),
        ("PZN", "active", "personalization"),
        ("FLAG", "paused", "flag"),
        ("GRP", None, "exclusion group"),
    ],
)
@pytest.mark.parametrize("body", [{}, {"id": "x"}, {"members": 7, "variations": 7, "rules": 7}])
def test_publish__with_a_document_of_a_wrong_form__leaves_it_out_and_says_so(
    storefront: Storefront, kind: Kind, status: str | None, named: str, body: dict[str, Any]
) -> None:
    storefront.keep(experiment())
    keep(storefront.catalog, flag())
    keep_document(storefront.catalog, kind, item_id(99), body, status=status)
    config, (reason,) = published(storefront)
    assert [each["name"] for each in config["experiments"]] == ["Experiment 1"]
    assert [each["key"] for each in config["flags"]] == ["flag-1"]
    assert reason.startswith(f"{named} {item_id(99)} cannot be read: ")


@pytest.mark.parametrize("script", [7, [{}], {"a": 1}])
def test_publish__with_a_script_that_is_no_text__delivers_everything_else(storefront: Storefront, script: Any) -> None:
    storefront.keep(experiment(experiment_js=script))
    keep(storefront.catalog, personalization(experiences=(experience(custom_js=script, custom_css="p{}"),)))
    config, reasons = published(storefront)
    assert "js" not in config["experiments"][0]
    assert config["personalizations"][0]["experiences"][0]["css"] == "p{}"
    assert reasons == [
        "'Experiment 1': JS is left out: is not a text",
        "'Personalization 1' / 'Experience 0': JS is left out: is not a text",
    ]


def test_publish__with_a_group_whose_member_names_nothing__delivers_everything_else(storefront: Storefront) -> None:
    storefront.keep(experiment())
    members = [{"experiment_id": [], "share": 0.5, "ranges": []}]
    keep_document(storefront.catalog, "GRP", item_id(99), {**exclusion_group_document(group()), "members": members})
    config, (reason,) = published(storefront)
    assert [each["name"] for each in config["experiments"]] == ["Experiment 1"]
    assert reason.startswith(f"exclusion group {item_id(99)} cannot be read: ")


@pytest.mark.parametrize(
    "targeting", ["x", 7, ["x"], {"pageRules": 7}, {"pageRules": ["x"]}, {"segmentRules": {"a": 1}}]
)
def test_publish__with_targeting_of_a_wrong_form__leaves_its_item_out(storefront: Storefront, targeting: Any) -> None:
    keep(storefront.catalog, flag(1, targeting=targeting))
    keep(storefront.catalog, flag(2))
    config, (reason,) = published(storefront)
    assert [each["key"] for each in config["flags"]] == ["flag-2"]
    assert reason.startswith("'Flag 1' is left out: ")


class Losing(MemoryCatalog):
    """A catalog that cannot read the bodies of some records."""

    lost: tuple[str, ...] = ()
    error: Exception = OSError("the body is gone")

    def get(self, shop_id: str, kind: Kind, record_id: str, *, parent_id: str | None = None) -> Record | None:
        if record_id in self.lost:
            raise self.error
        return super().get(shop_id, kind, record_id, parent_id=parent_id)

    def get_many(self, shop_id: str, kind: Kind, record_ids: Any, *, parent_id: str | None = None) -> list[Record]:
        if set(self.lost) & set(record_ids):
            raise self.error
        return super().get_many(shop_id, kind, record_ids, parent_id=parent_id)


def test_publish__with_bodies_that_are_lost__leaves_these_out_and_says_so() -> None:
    catalog = Losing()
    storefront = Storefront(catalog=catalog)
    keep_references(storefront)
    storefront.keep(experiment(1))
    storefront.keep(experiment(2))
    keep(catalog, flag(1, targeting={"segmentRules": NAMED["segmentRules"]}))
    keep(catalog, flag(2, targeting={"pageRules": [{"id": "r", "pageId": PAGE, "include": False}]}))
    catalog.lost = (experiment_id(1), PAGE)
    config, reasons = published(storefront)
    assert [each["name"] for each in config["experiments"]] == ["Experiment 2"]
    assert [each["key"] for each in config["flags"]] == ["flag-1"]
    assert config["flags"][0]["audience"]["in"] == [ON_PHONES]
    assert reasons == [
        f"experiment {experiment_id(1)} cannot be read: OSError: the body is gone",
        f"page {PAGE} cannot be read: OSError: the body is gone",
        "'Flag 2' is left out: KeyError: 'includeRules'",
    ]


def test_publish__while_the_database_is_busy_with_one_item__fails_and_leaves_nothing_out() -> None:
    catalog = Losing()
    storefront = Storefront(catalog=catalog)
    storefront.keep(experiment(1))
    published(storefront)
    storefront.keep(experiment(2))
    catalog.lost, catalog.error = (experiment_id(1),), DatabaseBusyError()
    outcome = storefront.publication.publish(SHOP_ID)
    assert (outcome.ok, outcome.retriable) == (False, True)
    assert outcome.reasons[0].startswith("database_busy: ")


def test_experiment__claimed_by_a_landing_page__is_published_as_served(storefront: Storefront) -> None:
    for number in (1, 2):
        storefront.keep(experiment(number))
    name = experiment_name(experiment_id(2))
    claim = Claim(scope=SHOP_ID, name=name, target_id=item_id(1), target_shop_id=SHOP_ID)
    storefront.catalog.commit(Commit(claims=[claim]))
    config, _ = published(storefront)
    assert [each.get("served") for each in config["experiments"]] == [None, True]
