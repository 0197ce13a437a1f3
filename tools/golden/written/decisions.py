"""Written decisions: every step of section 2.1 of docs/data-model.md, and which step comes before which."""

from tools.golden.written.case import Case
from tools.golden.written.shop import (
    ELSEWHERE,
    EVERYBODY,
    FOO,
    NO_BUCKETS,
    NO_MONDAY,
    ON_FOO,
    SEED,
    case,
    experiment,
    experiments,
    flag,
    people,
    personalization,
)

DE = {"country": "DE"}
UNREACHED = {"audience": people(DE), "pages": ELSEWHERE, "dark": NO_MONDAY, "surface": "checkout"}


def holdout(below: int, state: int = SEED) -> dict[str, dict[str, int]]:
    """A holdout that holds `a` from 506 and `b` from 2697 on."""
    return {"holdout": {"state": state, "below": below, "epoch": 1766275200000}}


def group(*ranges: list[int], state: int = SEED) -> dict[str, object]:
    """Membership of an exclusion group."""
    return {"group": {"id": "g", "epoch": 3, "state": state, "ranges": list(ranges)}}


ASSIGNMENT = [
    case("a visitor in the range", experiments(experiment([0, 506], [506, 10000])), ["seed: v0, 0 active control"]),
    case("a range ends before its end", experiments(experiment([0, 505], [505, 10000])), ["seed: v1, 1 active"]),
    case("a gap belongs to nobody", experiments(experiment([0, 505], [506, 10000])), []),
    case("a visitor above", experiments(experiment([0, 2696], [2696, 2697])), ["seed: v1, 1 active"], "b"),
    case("empty ranges hold nobody", experiments(experiment([505, 505], [505, 506])), ["seed: v1, 1 active"]),
    case("no traffic", experiments(experiment([0, 0], [5000, 5000])), []),
    case(
        "the state is what counts",
        experiments(experiment([0, 2575], [2575, 2576], state=FOO)),
        ["seed: v1, 1 active"],
        "ab",
    ),
    case(
        "a later epoch",
        experiments(experiment(epoch=4)),
        ["seed: v0, 0 active control epoch 4"],
    ),
    case(
        "in the order of the config",
        experiments(experiment(id="z"), experiment(id="a"), experiment(id="m")),
        ["z: v0, 0 active control", "a: v0, 0 active control", "m: v0, 0 active control"],
    ),
    case("without an id", experiments(experiment()), [], {}),
    case("with an empty id", experiments(experiment()), [], {"id": ""}),
    case("another page", experiments(experiment(pages=ELSEWHERE)), ["seed: v0, 0 inactive control"]),
    case("on its page", experiments(experiment(pages=ON_FOO)), ["seed: v0, 0 active control"]),
    case("for an audience", experiments(experiment(audience=people(DE))), []),
    case(
        "of the audience",
        experiments(experiment(audience=people(DE))),
        ["seed: v0, 0 active control"],
        {"id": "a", "attributes": DE},
    ),
    case("a dark day", experiments(experiment(dark=NO_MONDAY)), []),
    case("no surface is the shop's own", experiments(experiment()), [], {"id": "a", "surface": "checkout"}),
    case("another surface", experiments(experiment(surface="checkout")), []),
    case(
        "its surface",
        experiments(experiment(surface="checkout")),
        ["seed: v0, 0 active control"],
        {"id": "a", "surface": "checkout"},
    ),
]

KEPT = {"id": "a", "sticky": {"seed": "v1"}}
STICKY = [
    case("kept from before", experiments(experiment(EVERYBODY, NO_BUCKETS)), ["seed: v1, 1 active sticky"], KEPT),
    case("also without traffic", experiments(experiment([0, 0], [0, 0])), ["seed: v1, 1 active sticky"], KEPT),
    case(
        "a variation that is gone",
        experiments(experiment()),
        ["seed: v0, 0 active control"],
        {"id": "a", "sticky": {"seed": "v9"}},
    ),
    case(
        "a restart forgets",
        experiments(experiment(EVERYBODY, NO_BUCKETS, epoch=2)),
        ["seed: v0, 0 active control epoch 2"],
        KEPT,
    ),
    case(
        "kept by seed",
        experiments(experiment(EVERYBODY, NO_BUCKETS, epoch=2)),
        ["seed: v1, 1 active sticky epoch 2"],
        {"id": "a", "sticky": {"seed:2": "v1"}},
    ),
    case(
        "not reached, yet attributing",
        experiments(experiment(EVERYBODY, NO_BUCKETS, **UNREACHED)),
        ["seed: v1, 1 inactive sticky"],
        KEPT,
    ),
    case(
        "not of the audience",
        experiments(experiment(EVERYBODY, NO_BUCKETS, audience=people(DE))),
        ["seed: v1, 1 inactive sticky"],
        KEPT,
    ),
    case(
        "on another page",
        experiments(experiment(EVERYBODY, NO_BUCKETS, pages=ELSEWHERE)),
        ["seed: v1, 1 inactive sticky"],
        KEPT,
    ),
    case(
        "on a dark day",
        experiments(experiment(EVERYBODY, NO_BUCKETS, dark=NO_MONDAY)),
        ["seed: v1, 1 inactive sticky"],
        KEPT,
    ),
    case(
        "held out comes before",
        experiments(experiment(EVERYBODY, NO_BUCKETS), **holdout(506)),
        ["cohort holdout"],
        KEPT,
    ),
    case("the group comes before", experiments(experiment(EVERYBODY, NO_BUCKETS, **group([0, 505]))), [], KEPT),
    case("the id of nobody keeps nothing", experiments(experiment()), [], {"sticky": {"seed": "v0"}}),
]

FORCE = [
    case("by id", experiments(experiment(EVERYBODY, NO_BUCKETS)), ["seed: v1, 1 active forced"], force={"seed": "v1"}),
    case(
        "by index", experiments(experiment(EVERYBODY, NO_BUCKETS)), ["seed: v1, 1 active forced"], force={"seed": "1"}
    ),
    case("by number", experiments(experiment(EVERYBODY, NO_BUCKETS)), ["seed: v1, 1 active forced"], force={"seed": 1}),
    case(
        "before everything else",
        experiments(experiment(EVERYBODY, NO_BUCKETS, **UNREACHED, **group()), **holdout(10000)),
        ["seed: v1, 1 active forced"],
        force={"seed": "v1"},
    ),
    case(
        "before what is kept",
        experiments(experiment(EVERYBODY, NO_BUCKETS)),
        ["seed: v0, 0 active forced control"],
        KEPT,
        force={"seed": "0"},
    ),
    case(
        "also without an id", experiments(experiment()), ["seed: v0, 0 active forced control"], {}, force={"seed": "v0"}
    ),
    *(
        case(
            f"by {forced!r}, which names none",
            experiments(experiment([0, 1], EVERYBODY)),
            ["seed: v1, 1 active"],
            force={"seed": forced},
        )
        for forced in ("2", "-1", "01", "1.0", "", " 1", "+1", "v9", 2, -1, None)
    ),
    case(
        "one and not the other",
        experiments(experiment(EVERYBODY, NO_BUCKETS), experiment(id="x", **holdout(0))),
        ["seed: v1, 1 active forced", "x: v0, 0 active control"],
        force={"seed": "v1"},
    ),
    case("takes the cohort away", experiments(**holdout(10000)), [], force={"elsewhere": "v1"}),
    case("an empty wish does not", experiments(**holdout(10000)), ["cohort holdout"], force={}),
]

HOLDOUT = [
    case("below the cut", experiments(experiment(), **holdout(506)), ["cohort holdout"]),
    case("at the cut", experiments(experiment(), **holdout(505)), ["cohort active", "seed: v0, 0 active control"]),
    case(
        "flags stay, personalizations go",
        {**holdout(506), "personalizations": [personalization()], "flags": [flag()]},
        ["cohort holdout", "f = true, on"],
    ),
    case("by the customer without a visitor", holdout(506), ["cohort holdout"], {"customer_id": "a"}),
    case("by the visitor, not the customer", holdout(506), ["cohort active"], {"id": "b", "customer_id": "a"}),
    case("nobody is not held out", holdout(10000), ["cohort active"], {}),
    case("a larger one keeps those who are in", holdout(2697), ["cohort holdout"], "a"),
]

GROUPS = [
    case("in its share", experiments(experiment(**group([0, 506]))), ["seed: v0, 0 active control"]),
    case("out of its share", experiments(experiment(**group([0, 505], [506, 10000]))), []),
    case(
        "in its second share",
        experiments(experiment(**group([0, 9], [2696, 2697]))),
        ["seed: v0, 0 active control"],
        "b",
    ),
    case("no share at all", experiments(experiment(**group())), []),
    case(
        "of two members one",
        experiments(experiment(id="x", **group([0, 2000])), experiment(id="y", **group([2000, 10000]))),
        ["y: v0, 0 active control"],
        "b",
    ),
    case(
        "by the customer without a visitor",
        experiments(experiment(identity="customer", **group([505, 506]))),
        ["seed: v0, 0 active by customer control"],
        {"customer_id": "a"},
    ),
    case(
        "by the visitor, though customers are hashed",
        experiments(experiment(identity="customer", **group([505, 506]))),
        [],
        {"id": "b", "customer_id": "a"},
    ),
]

IDENTITY = [
    case(
        "the customer is hashed",
        experiments(experiment([505, 506], [2696, 2697], identity="customer")),
        ["seed: v1, 1 active by customer"],
        {"id": "a", "customer_id": "b"},
    ),
    case(
        "the visitor where nobody is logged in",
        experiments(experiment([505, 506], [2696, 2697], identity="customer")),
        ["seed: v0, 0 active control"],
    ),
    case(
        "the visitor unless told",
        experiments(experiment([505, 506], [2696, 2697])),
        ["seed: v0, 0 active control"],
        {"id": "a", "customer_id": "b"},
    ),
    case("a customer is no visitor", experiments(experiment()), [], {"customer_id": "b"}),
    case(
        "what is kept says nothing of customers",
        experiments(experiment(EVERYBODY, NO_BUCKETS, identity="customer")),
        ["seed: v1, 1 active sticky"],
        {"id": "a", "customer_id": "b", "sticky": {"seed": "v1"}},
    ),
]

SERVED = experiments(experiment(EVERYBODY, NO_BUCKETS, served=True, pages=ELSEWHERE, **group()), **holdout(10000))
MARKED = {"id": "a", "served": {"seed": "v1"}}
LANDING_PAGES = [
    case("without a mark", experiments(experiment(served=True)), []),
    case("the mark is the decision", SERVED, ["cohort holdout", "seed: v1, 1 active"], MARKED),
    case("also without an id", SERVED, ["cohort active", "seed: v1, 1 active"], {"served": {"seed": "v1"}}),
    case(
        "a mark seen before",
        SERVED,
        ["cohort holdout", "seed: v1, 1 active sticky"],
        {**MARKED, "sticky": {"seed": "v1"}},
    ),
    case(
        "a mark replaces what was before",
        SERVED,
        ["cohort holdout", "seed: v1, 1 active"],
        {**MARKED, "sticky": {"seed": "v0"}},
    ),
    case(
        "without a mark what was before counts goals",
        experiments(experiment(EVERYBODY, NO_BUCKETS, served=True)),
        ["seed: v1, 1 inactive sticky"],
        {"id": "a", "sticky": {"seed": "v1"}},
    ),
    case("not if held out", SERVED, ["cohort holdout"], {"id": "a", "sticky": {"seed": "v1"}}),
    case("a mark of a variation that is gone", SERVED, ["cohort holdout"], {"id": "a", "served": {"seed": "v9"}}),
    case("a mark of another experiment", SERVED, ["cohort holdout"], {"id": "a", "served": {"foo": "v1"}}),
    case("a forged mark", experiments(experiment()), ["seed: v0, 0 active control"], MARKED),
    case("forced", SERVED, ["seed: v0, 0 active forced control"], MARKED, force={"seed": "v0"}),
    case(
        "next to others, in the order of the config",
        experiments(experiment(), experiment(id="b", served=True), experiment(id="c")),
        ["seed: v0, 0 active control", "b: v0, 0 active control", "c: v0, 0 active control"],
        {"id": "a", "served": {"b": "v0"}},
    ),
]

CASES: dict[str, list[Case]] = {
    "assignment": ASSIGNMENT,
    "sticky": STICKY,
    "force": FORCE,
    "holdout": HOLDOUT,
    "group": GROUPS,
    "identity": IDENTITY,
    "landing pages": LANDING_PAGES,
}
