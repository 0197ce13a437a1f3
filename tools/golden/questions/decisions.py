"""Random configs as the compiler writes them, and visitors who come to them in every way there is."""

from collections.abc import Iterator
from random import Random
from typing import Any

from abtest.domain.assignment.hash import fold, seed
from tools.golden.questions.configs import SURFACES, Places, config
from tools.golden.questions.moments import moment
from tools.golden.questions.rules import TRIGGERS
from tools.golden.questions.values import name, value

Question = dict[str, Any]
Document = dict[str, Any]

VISITORS_OF_A_CONFIG = 20
_ODD_IDS = ["", "0", " ", "😀", "a😀b", "\ud83d", "\ude00\ud83d", "é", "e\u0301", "x" * 500, "__proto__", "\u0000", "ﬃ"]


def decision_questions(random: Random, count: int) -> Iterator[Question]:
    """`{"config", "visitor", "url", "now", "force"?}`; each config is used for many visitors."""
    made: Document = {}
    places = Places(random)
    for number in range(count):
        if number % VISITORS_OF_A_CONFIG == 0:
            places = Places(random)
            made = config(random, places)
        yield question(random, made, places)


def question(random: Random, made: Document, places: Places) -> Question:
    """One visitor on one page of a shop."""
    inputs = {"config": made, "visitor": visitor(random, made), "url": url(random, places), "now": moment(random)}
    if random.random() < 0.12:
        inputs["force"] = force(random, made["experiments"])
    return inputs


def visitor(random: Random, made: Document) -> Any:
    """A visitor's document, or a bare id."""
    if random.random() < 0.03:
        return identity(random)
    given: Document = {"attributes": attributes(random)}
    if random.random() < 0.94:
        given["id"] = identity(random)
    if random.random() < 0.35:
        given["customer_id"] = identity(random)
    if random.random() < 0.55:
        given["sticky"] = sticky(random, made["experiments"])
    if random.random() < 0.25:
        given["surface"] = random.choice([*SURFACES, ""])
    if random.random() < 0.6:
        given["triggers"] = random.sample(TRIGGERS, k=random.randrange(len(TRIGGERS) + 1))
    if marks := dict(served(given.get("id", ""), made["experiments"])):
        given["served"] = marks
    return given if random.random() < 0.98 else _mistyped(random, given)


def served(visitor_id: str, experiments: list[Document]) -> Iterator[tuple[str, Any]]:
    """Marks of landing pages: of variations that are live or gone, also of experiments that no page shows."""
    # By hashes, not drawn: another draw would change every question after it.
    for each in experiments:
        number = fold(visitor_id, each["state"])
        if number % (2 if "served" in each else 12) == 0:
            variations = each["variations"]
            yield each["id"], "gone" if number % 5 == 0 else variations[number % len(variations)]["id"]


def identity(random: Random) -> str:
    """The id of a visitor or customer."""
    kind = random.random()
    if kind < 0.75:
        return f"{random.getrandbits(128):032x}"
    if kind < 0.85:
        return f"customer-{random.randrange(1000)}"
    return random.choice(_ODD_IDS)


def attributes(random: Random) -> Document:
    """Attributes set by the page; some contradict derived ones."""
    given: Document = {
        "country": random.choice(["DE", "FR", "de", None, 5]),
        "device": random.choice(["desktop", "mobile", "tablet"]),
        "visits": random.choice([1, 2, 5, 20, "5", 1.5]),
        "customer": {"tags": random.sample(["vip", "VIP", "new", "b2b", 7], k=random.randrange(4))},
        "cart": {
            "value": random.choice([0, 19.99, 100, "100", 250.5]),
            "items": random.randrange(4),
            "currency": "EUR",
        },
        "app": {"version": random.choice(["1.2.3", "1.10.0", "2.0.0-beta.1", "v2"])},
    }
    kept = {key: given[key] for key in given if random.random() < 0.8}
    if random.random() < 0.15:
        kept[name(random)] = value(random)
    if random.random() < 0.05:
        kept[random.choice(["id", "url", "query", "utm", "local", "logged_in", "customer_id"])] = value(random)
    return kept


def sticky(random: Random, experiments: list[Document]) -> Document:
    """Sticky assignments: to variations that are live, archived, of another epoch, or nonsense."""
    seen: Document = {}
    for each in experiments:
        if random.random() < 0.6:
            epoch = each["epoch"] if random.random() < 0.85 else each["epoch"] + 1
            seen[seed(each["id"], epoch)] = _remembered(random, each)
    return seen


def _remembered(random: Random, experiment: Document) -> Any:
    if random.random() < 0.8:
        return random.choice(experiment["variations"])["id"]
    return random.choice(["gone", "", None, 0, 1, "0", [], {}])


def url(random: Random, places: Places) -> Any:
    """Where the visitor is: mostly a place that rules know."""
    kind = random.random()
    if kind < 0.9:
        return random.choice(places.addresses)
    if kind < 0.95:
        return places.another(random)
    return random.choice([None, "", "https://[/", "http://[", "?utm_source=mail", "/" + "x" * 9000, "//", "%"])


def force(random: Random, experiments: list[Document]) -> Document:
    """Forced variations; some ids do not exist."""
    wishes: Document = {"no such experiment": "0"}
    for each in experiments:
        variation = random.choice(each["variations"])["id"]
        wishes[each["id"]] = random.choice(
            [variation, variation, "0", "1", 0, 1, "01", "-1", "9", "1.0", "", "gone", "10000"]
        )
        if random.random() < 0.4:
            del wishes[each["id"]]
    return wishes if random.random() < 0.9 else {}


def _mistyped(random: Random, given: Document) -> Any:
    wrong = {key: value(random) if random.random() < 0.4 else part for key, part in given.items()}
    return random.choice([wrong, wrong, None, 5, [], {"visitor_id": "a"}, {"id": "", "user_id": "b"}])
