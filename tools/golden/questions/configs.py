"""Random configs: experiments, groups, holdout, personalizations and flags with everything that they may have."""

from itertools import pairwise
from random import Random
from typing import Any

from abtest.domain.assignment.allocation import ranges
from abtest.domain.assignment.hash import fold, seed
from tools.golden.questions.addresses import address
from tools.golden.questions.moments import UNKNOWN_ZONES, ZONES
from tools.golden.questions.rules import audience, dark, pages
from tools.golden.questions.values import exact, value

Document = dict[str, Any]

SURFACES = ["checkout", "thank_you"]
_SHARES = [0, 1, 500, 2500, 5000, 9000, 9999, 10000, 10000]
_ODD_IDS = ["é", "exp 😀", "\ud83d", "constructor", "__proto__", "a:2"]


class Places:
    """Addresses that a shop's rules and visitors share."""

    def __init__(self, random: Random) -> None:
        queries = ["", "?a=1", "?utm_source=mail&a=2&a=3", "?utm_source=foo&utm_medium=%20x#top", "?é=%ff&a=+"]
        plain = [f"https://shop.example/{path}{random.choice(queries)}" for path in ("", "foo", "products/foo")]
        self.addresses = [*plain, address(random), address(random)]

    def another(self, random: Random) -> str:
        """An address that no rule was made from."""
        return address(random)


def config(random: Random, places: Places) -> Document:
    """A config as the compiler writes it, without what no decision depends on."""
    groups = [_group(random) for _ in range(2)]
    made: Document = {
        "shop_id": _id(random),
        "experiments": [_experiment(random, places, groups) for _ in range(random.randrange(1, 6))],
        "zones": random.sample(ZONES, k=12) + random.sample(UNKNOWN_ZONES, k=1),
    }
    if random.random() < 0.5:
        made["holdout"] = {
            "state": fold(f"holdout:{made['shop_id']}"),
            "below": _holdout(random),
            "epoch": 1766275200000,
        }
    if random.random() < 0.7:
        made["personalizations"] = [_personalization(random, places) for _ in range(random.randrange(1, 5))]
    if random.random() < 0.7:
        made["flags"] = [_flag(random, places, number) for number in range(random.randrange(1, 6))]
    return made


def _holdout(random: Random) -> int:
    return random.choice([0, 500, 2000, 5000, 10000])


def _id(random: Random) -> str:
    if random.random() < 0.05:
        return random.choice(_ODD_IDS) + str(random.randrange(1000))
    return f"{random.getrandbits(32):08x}-0000-7000-8000-{random.getrandbits(48):012x}"


def _group(random: Random) -> Document:
    """A group whose four members share out the buckets."""
    cuts = sorted(random.sample(range(10001), k=5))
    slices = [[start, end] for start, end in pairwise(cuts)]
    group_id = _id(random)
    return {"id": group_id, "epoch": random.randrange(1, 9), "state": fold(f"group:{group_id}"), "slices": slices}


def _experiment(random: Random, places: Places, groups: list[Document]) -> Document:
    experiment_id, epoch = _id(random), random.choice([1, 1, 1, 2, 3, 12])
    made: Document = {
        "id": experiment_id,
        "name": "Experiment",
        "type": "mutation",
        "epoch": epoch,
        "state": fold(seed(experiment_id, epoch)),
        "variations": _variations(random),
        "goals": [],
    }
    if random.random() < 0.35:
        made["group"] = _membership(random, random.choice(groups))
    if random.random() < 0.12:
        made["surface"] = random.choice(SURFACES)
    if random.random() < 0.3:
        made["identity"] = "customer"
    # By the id, not drawn: another draw would change every question after it.
    if made["state"] % 6 == 0:
        made["served"] = True
    return made | _restrictions(random, places)


def _membership(random: Random, group: Document) -> Document:
    slices = random.sample(group["slices"], k=random.choice([0, 1, 1, 2, 4]))
    return {"id": group["id"], "epoch": group["epoch"], "state": group["state"], "ranges": sorted(slices)}


def _variations(random: Random) -> list[Document]:
    """Variations that share the traffic; the buckets of an archived one stay unassigned."""
    parts = [random.choice([1, 1, 1, 2, 5, 0, random.random()]) for _ in range(random.choice([2, 2, 2, 3, 4, 10]))]
    total = sum(parts) or 1
    coverage = random.choice([1, 1, 1, 0.5, 0.1, 0, random.random()])
    cut = ranges([part / total for part in parts], coverage)
    made: list[Document] = [
        {"id": f"v{n}-{_id(random)}", "name": f"V{n}", "range": list(each)} for n, each in enumerate(cut)
    ]
    if random.random() < 0.8:
        made[0]["control"] = True
    return [each for number, each in enumerate(made) if number < 2 or random.random() < 0.7]


def _restrictions(random: Random, places: Places) -> Document:
    document: Document = {}
    if random.random() < 0.4:
        document["audience"] = audience(random)
    if random.random() < 0.4:
        document["pages"] = pages(random, places.addresses)
    if random.random() < 0.2:
        document["dark"] = dark(random)
    return document


def _personalization(random: Random, places: Places) -> Document:
    key = _id(random)
    keys = random.sample(["default", "winter", "vip", "é"], k=random.randrange(1, 5))
    made: Document = {
        "id": key,
        "key": f"key of {key}",
        "name": "P",
        "type": "visual",
        "surface": random.choice(["global", "cart", "cart", "product"]),
        "state": fold(key),
        "below": random.choice(_SHARES),
        "experiences": [{"id": _id(random), "key": each, "name": each} for each in keys],
        "goals": [],
    }
    if random.random() < 0.6:
        made["rules"] = [_rule(random, places, keys) for _ in range(random.randrange(1, 4))]
    return made | _restrictions(random, places)


def _rule(random: Random, places: Places, keys: list[str]) -> Document:
    rule: Document = {"experience": random.choice(keys)}
    if random.random() < 0.7:
        rule["audience"] = audience(random)
    if random.random() < 0.3:
        rule["pages"] = pages(random, places.addresses)
    return rule


def _flag(random: Random, places: Places, number: int) -> Document:
    flag_id = _id(random)
    key = random.choice([f"flag_{number}", f"flag_{number}", "__proto__", "é"])
    made: Document = {
        "id": flag_id,
        "key": key,
        "state": fold(flag_id),
        "below": random.choice(_SHARES),
        "on": exact(value(random)),
        "off": exact(value(random)),
    }
    if random.random() < 0.12:
        made |= {"paused": True, "below": 0}
    return made | _restrictions(random, places)
