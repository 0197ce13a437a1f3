"""The stored form of personalizations, and what the history tells of their changes."""

from dataclasses import replace

from abtest.domain.changes.change import Change
from abtest.domain.personalizations.duplication import copy_key
from abtest.domain.personalizations.model import Experience, Personalization, Rule
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.services.personalizations.store import PERSONALIZATIONS
from tests.unit.experiments.examples import LATER, NOW, goal

STORED = Personalization(
    id="p",
    shop_id="s",
    key="hero",
    name="Hero",
    targeting={"pageRules": []},
    experiences=(
        Experience(id="e1", mutations=({"selector": "h1", "action": "remove"},), anti_flicker_selectors=("h1",)),
        Experience(id="e2", key="warm", value=[None], custom_js="hot()", reset_js="cold()"),
    ),
    rules=(Rule(id="r", experience_key="warm", targeting={"pageRules": []}),),
    goals=(goal(),),
    activated_at=NOW,
    created_at=NOW,
    updated_at=NOW,
)


def test_document__read_back__is_the_same() -> None:
    document = canonical_json.loads(canonical_json.encode(encode(STORED)))
    assert decode(Personalization, document) == STORED


def test_document__of_another_release__is_read() -> None:
    document = encode(STORED) | {"younger": 1}
    document["experiences"] = [{"id": "e1", "younger": 1}]
    document["rules"] = [{"id": "r", "experience_key": "default", "younger": 1}]
    for name in ("goals", "measurement_epoch", "archived_at"):
        del document[name]
    read = decode(Personalization, document)
    assert read.experiences == (Experience(id="e1"),)
    assert read.rules == (Rule(id="r", experience_key="default"),)
    assert (read.goals, read.measurement_epoch, read.archived_at) == ((), 1, None)


def test_diff__of_an_edit__names_what_changed_and_hashes_code() -> None:
    warm = replace(STORED.experiences[1], custom_js="hotter()", name="Warmer")
    after = replace(
        STORED, priority=3, experiences=(STORED.experiences[0], warm), rules=(), goals=(), updated_at=LATER, version=2
    )
    diff = PERSONALIZATIONS.diff(Change(before=STORED, after=after, action="x", note={"why": "so"}))
    assert diff == {
        "priority": [100, 3],
        "experiences.warm.custom_js": [
            {"sha256": canonical_json.sha256("hot()"), "length": 5},
            {"sha256": canonical_json.sha256("hotter()"), "length": 8},
        ],
        "experiences.warm.name": ["Personalized experience", "Warmer"],
        "rules.0.id": ["r", None],
        "rules.0.experience_key": ["warm", None],
        "rules.0.targeting": [{"pageRules": []}, None],
        "goals": [[[goal().id, False]], []],
        "why": [None, "so"],
    }


def test_copy_key__is_never_longer_than_a_key() -> None:
    assert copy_key("hero", 1) == "hero-copy"
    assert copy_key("hero", 2) == "hero-copy-2"
    assert {len(copy_key("k" * 100, number)) for number in (1, 2, 10, 100)} == {100}
