"""Experiments as shops have them, for us and for GrowthBook: the same addresses, splits, selectors and texts.

Ours are stored and published as the service does; the snippet that is measured is the one that would be served.
Everything is drawn from a seed, ids too, so that sizes are the same in every run.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from abtest.domain.delivery.manifest import Encoding, object_key, pointer_key, read_pointer
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.kit.clock import ManualClock
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from benchmarks.world import publication_of, shop_in
from tests.support.memory import MemoryBlobs, MemoryCatalog

Json = dict[str, Any]
EDGE = "https://edge.example"
"""Where the shops of `benchmarks.world` are served from."""
SEED = 20260101
WORDS = {
    "thing": [
        "mugs",
        "shoes",
        "shirts",
        "lamps",
        "chairs",
        "candles",
        "blankets",
        "jackets",
        "posters",
        "plants",
        "bags",
        "watches",
        "knives",
        "pans",
        "bikes",
    ],
    "style": [
        "summer",
        "winter",
        "organic",
        "handmade",
        "classic",
        "limited",
        "everyday",
        "vintage",
        "nordic",
        "colourful",
    ],
    "promise": [
        "Free delivery from {n} euros",
        "Thirty days to change your mind",
        "Delivered by {day} if you order today",
        "Loved by {n},000 customers",
        "Only {n} left in stock",
        "Save {n} % on your second item",
        "Made in Europe, shipped from Leipzig",
        "Pay later, without interest",
    ],
    "call": [
        "Add to bag",
        "Buy it now",
        "Choose your size",
        "See the collection",
        "Yes, I want it",
        "Check out securely",
    ],
    "colour": ["#0a7d4f", "#c8102e", "#1b4dff", "#222222", "#ff6a00", "#6b3fa0"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
}
"""What texts are drawn from."""


class Seeded:
    """Bits for ids that are the same in every run."""

    def __init__(self) -> None:
        self._random = Random(SEED)

    def bits(self, count: int) -> int:
        """As `abtest.kit.ids.Randomness`."""
        return self._random.getrandbits(count)


@dataclass(frozen=True)
class Design:
    """Design of an experiment: its pages, the changes and the share of its treatment, its goals."""

    name: str
    pattern: str
    mutations: Sequence[Mapping[str, Any]]
    share: float = 0.5
    goals: Collection[str] = ("revenue", "click")


def designs(count: int, pattern: str = "/{thing}/*") -> list[Design]:
    """Different experiments of five mutations each; `pattern` is a simple URL rule."""
    random = Random(SEED)
    return [_design(random, number, pattern) for number in range(count)]


def plain(count: int) -> list[Design]:
    """The same, with a new text for one button and a revenue goal each."""
    return [replace(each, mutations=each.mutations[2:3], goals=("revenue",)) for each in designs(count)]


def _design(random: Random, number: int, pattern: str) -> Design:
    words = {name: random.choice(of) for name, of in WORDS.items()} | {"n": str(random.randrange(5, 95))}
    place = f".{words['style']}-{words['thing']}-{number}"
    promise, other = (text.format(**words) for text in random.sample(WORDS["promise"], 2))
    return Design(
        name=f"{words['style']} {words['thing']} {number}",
        pattern=pattern.format(**words),
        mutations=[
            {"selector": f"{place} h2", "action": "text", "text": f"{words['style']} {words['thing']}: {promise}"},
            {"selector": f"{place} .product-description", "action": "html", "html": f"<b>{other}</b>. {promise}."},
            {"selector": f"{place} .add-to-cart", "action": "text", "text": words["call"]},
            {"selector": f"{place} .add-to-cart", "action": "style", "styles": {"background-color": words["colour"]}},
            random.choice(
                [
                    {"selector": f"{place} .reviews", "action": "remove"},
                    {"selector": f"{place} img", "action": "attribute", "attributes": {"alt": other}},
                    {"selector": f"{place} .price", "action": "insertAfter", "html": f"<small>{other}</small>"},
                ]
            ),
        ],
    )


@dataclass(frozen=True)
class Snippet:
    """A published snippet: its text, its size as served, and the config beside it."""

    text: str
    brotli: int
    config: bytes

    @property
    def bundle(self) -> str:
        """The SDK that stands before the config."""
        bundle, *call = re.split(r"""\((?:'\{"|\{)delivery\b""", self.text, maxsplit=1)
        assert call, "the snippet no longer begins its config with its delivery"
        return bundle


def published(wanted: Sequence[Design]) -> Snippet:
    """Our snippet of a shop in which these experiments run."""
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    world, blobs = World(catalog=MemoryCatalog(), clock=clock, random=Seeded()), MemoryBlobs()
    publication = publication_of(world, blobs)
    shop = shop_in(world, publication)
    for design in wanted:
        clock.advance(hours=37, milliseconds=len(design.name) * 97)
        record = EXPERIMENTS.record(_experiment(world, clock, shop.id, design))
        world.catalog.commit(Commit(puts=[Put(record=record, expected_version=0)]))
    outcome = publication.publish(shop.id)
    assert outcome.ok, outcome
    pointer = read_pointer(_stored(blobs, pointer_key(shop.id)))
    return Snippet(
        text=_object(blobs, pointer.snippet.sha256).decode(),
        brotli=len(_object(blobs, pointer.snippet.sha256, "br")),
        config=_object(blobs, pointer.config.sha256),
    )


def _stored(blobs: MemoryBlobs, key: str) -> bytes:
    blob = blobs.get(key)
    assert blob is not None, key
    return blob.content


def _object(blobs: MemoryBlobs, sha256: str, encoding: Encoding = "identity") -> bytes:
    return _stored(blobs, object_key(sha256, encoding))


def _experiment(world: World, clock: ManualClock, shop_id: str, design: Design) -> Experiment:
    experiment_id = world.new_id()
    now = world.now()
    variations = []
    for index, weight in enumerate((1 - design.share, design.share)):
        clock.advance(microseconds=311)
        mutations: Any = tuple(dict(each) for each in design.mutations) if index else ()
        name = ("Control", "Treatment")[index]
        variations.append(
            Variation(
                id=world.new_id(),
                experiment_id=experiment_id,
                name=name,
                weight=weight,
                is_control=not index,
                mutations=mutations,
            )
        )
    rule: Any = {
        "id": world.new_id(),
        "includeRules": [{"type": "simple", "pattern": design.pattern}],
        "excludeRules": [],
    }
    return Experiment(
        id=experiment_id,
        shop_id=shop_id,
        name=design.name,
        status="running",
        started_at=now,
        version=1,
        created_at=now,
        updated_at=now,
        targeting={"pageRules": [rule]},
        variations=tuple(variations),
        goals=tuple(each for each in _goals(world, now) if each.type in design.goals),
    )


def _goals(world: World, now: str) -> list[Goal]:
    common: Json = {"experiment_id": None, "created_at": now, "updated_at": now}
    return [
        Goal(id=world.new_id(), name="Revenue", type="revenue", is_primary=True, **common),
        Goal(id=world.new_id(), name="Added", type="click", selector=".add-to-cart", **common),
    ]


def growthbook(wanted: Sequence[Design]) -> Json:
    """The same as GrowthBook's API answers it, without anything that its SDK does not need (its goals are none)."""
    return {"status": 200, "features": {}, "experiments": [_theirs(design) for design in wanted]}


def _theirs(design: Design) -> Json:
    return {
        "key": design.name.replace(" ", "-"),
        "hashAttribute": "id",
        "hashVersion": 2,
        "coverage": 1,
        "weights": [1 - design.share, design.share],
        "urlPatterns": [{"type": "simple", "include": True, "pattern": design.pattern}],
        "variations": [{}, {"domMutations": [_mutation(each) for each in design.mutations]}],
    }


def _mutation(ours: Mapping[str, Any]) -> Json:
    """What GrowthBook's visual editor would write; it has no insertion beside an element, so there it appends."""
    selector, action = ours["selector"], ours["action"]
    changes: Mapping[str, tuple[str, str, Any]] = {
        "text": ("set", "html", ours.get("text")),
        "html": ("set", "html", ours.get("html")),
        "style": ("set", "style", _declarations(ours.get("styles"))),
        "attribute": ("set", *next(iter((ours.get("attributes") or {"": ""}).items()))),
        "remove": ("set", "style", "display: none"),
        "insertBefore": ("append", "html", ours.get("html")),
        "insertAfter": ("append", "html", ours.get("html")),
    }
    act, attribute, value = changes[{"setText": "text", "setStyle": "style"}.get(action, action)]
    return {"selector": selector, "action": act, "attribute": attribute, "value": value}


def _declarations(styles: Mapping[str, str] | None) -> str:
    return "; ".join(f"{name}: {value}" for name, value in (styles or {}).items())
