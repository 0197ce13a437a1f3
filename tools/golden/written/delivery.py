"""Written decisions about personalizations, flags, days, pages, audiences."""

from typing import Any

from tools.golden.written.case import Case, Document
from tools.golden.written.decisions import DE, holdout
from tools.golden.written.shop import (
    ELSEWHERE,
    MONDAY_NOON,
    NO_BUCKETS,
    NO_MONDAY,
    ON_FOO,
    case,
    experiment,
    experiments,
    flag,
    people,
    personalization,
)

MINUTE = 60_000
HOUR = 60 * MINUTE
GERMAN = {"id": "a", "attributes": DE}
OTHERS = [{"experience": "other", "audience": people(DE)}]


def shown(*those: Document, **more: object) -> Document:
    """A config of personalizations."""
    return {"personalizations": list(those), **more}


PERSONALIZATIONS = [
    case("the default experience", shown(personalization()), ["p: default (p1) shown"]),
    case("the first rule that holds", shown(personalization(rules=OTHERS)), ["p: other (p2) shown"], GERMAN),
    case("no rule that holds", shown(personalization(rules=OTHERS)), ["p: default (p1) shown"]),
    case(
        "a rule for pages",
        shown(
            personalization(
                rules=[{"experience": "other", "pages": ELSEWHERE}, {"experience": "other", "pages": ON_FOO}]
            )
        ),
        ["p: other (p2) shown"],
    ),
    case("no rule and no default", shown(personalization(experiences=[{"id": "p2", "key": "other"}])), []),
    case("within the rollout", shown(personalization(below=506)), ["p: default (p1) shown"]),
    case("outside the rollout", shown(personalization(below=505)), ["p: default (p1) not shown"]),
    case("a dark day", shown(personalization(dark=NO_MONDAY)), []),
    case("not for them", shown(personalization(audience=people(DE))), []),
    case("not here", shown(personalization(pages=ELSEWHERE)), []),
    case("one on a surface", shown(personalization("p"), personalization("q")), ["p: default (p1) shown"]),
    case(
        "two on two surfaces",
        shown(personalization("p"), personalization("q", surface="product")),
        ["p: default (p1) shown", "q: default (q1) shown"],
    ),
    case(
        "any number globally",
        shown(personalization("p", surface="global"), personalization("q", surface="global")),
        ["p: default (p1) shown", "q: default (q1) shown"],
    ),
    case(
        "not shown takes no surface",
        shown(personalization("p", below=0), personalization("q")),
        ["p: default (p1) not shown", "q: default (q1) shown"],
    ),
    case(
        "a taken surface comes before the rollout: who is outside is not told of it either",
        shown(personalization("p"), personalization("q", below=0)),
        ["p: default (p1) shown"],
    ),
    case("none without an id", shown(personalization()), [], {}),
    case(
        "by the customer without a visitor",
        shown(personalization(below=506)),
        ["p: default (p1) shown"],
        {"customer_id": "a"},
    ),
    case("none for the held out", shown(personalization(below=0), **holdout(506)), ["cohort holdout"]),
    case("a force leaves them", shown(personalization()), ["p: default (p1) shown"], force={"x": "1"}),
]

FLAGS = [
    case("on", {"flags": [flag(on={"a": [1, None]}, off=None)]}, ['f = {"a": [1, null]}, on']),
    case("paused first", {"flags": [flag(paused=True, below=0, dark=NO_MONDAY)]}, ["f = false, paused"]),
    case("then dark", {"flags": [flag(dark=NO_MONDAY, audience=people(DE))]}, ["f = false, dark"]),
    case("then targeting, by audience", {"flags": [flag(audience=people(DE), below=0)]}, ["f = false, targeting"]),
    case("then targeting, by page", {"flags": [flag(pages=ELSEWHERE, below=0)]}, ["f = false, targeting"]),
    case("then the rollout", {"flags": [flag(below=505)]}, ["f = false, rollout"]),
    case("within the rollout", {"flags": [flag(below=506)]}, ["f = true, on"]),
    case("nobody is outside", {"flags": [flag()]}, ["f = false, rollout"], {}),
    case("nobody, yet paused", {"flags": [flag(paused=True)]}, ["f = false, paused"], {}),
    case("on may be null", {"flags": [flag(on=None, off=0)]}, ["f = null, on"]),
    case("the holdout leaves them", {"flags": [flag(below=506)], **holdout(10000)}, ["cohort holdout", "f = true, on"]),
    case("odd keys", {"flags": [flag(key="__proto__"), flag(key="")]}, ["__proto__ = true, on", " = true, on"]),
]


def _day(about: str, now: int, zone: str, *, dark: bool, day: str = "monday") -> Case:
    expected = ["f = false, dark"] if dark else ["f = true, on"]
    return case(about, {"flags": [flag(dark={"days": [day], "zone": zone})]}, expected, now=now)


def _time(about: str, now: int, zone: str, day: str, time: str) -> Case:
    expected = {f"local.{zone}.day": day, f"local.{zone}.time": time, f"local.{zone}.hour": int(time[:2])}
    return case(about, {"flags": [flag(audience=people(expected))], "zones": [zone]}, ["f = true, on"], now=now)


SPRING, AUTUMN = 1743296400000, 1761440400000  # clocks change in Berlin: 2025-03-30 and 2025-10-26, 01:00Z
MONDAY = MONDAY_NOON - 12 * HOUR  # 2025-12-22T00:00:00Z
DAYS = [
    _day("before midnight in Berlin", MONDAY - HOUR - 1, "Europe/Berlin", dark=False),
    _day("at midnight in Berlin", MONDAY - HOUR, "Europe/Berlin", dark=True),
    _day("the end of the day in Berlin", MONDAY + 23 * HOUR - 1, "Europe/Berlin", dark=True),
    _day("the next day in Berlin", MONDAY + 23 * HOUR, "Europe/Berlin", dark=False),
    _day("still Sunday in New York", MONDAY + 5 * HOUR - 1, "America/New_York", dark=False),
    _day("Monday in New York", MONDAY + 5 * HOUR, "America/New_York", dark=True),
    _day("long Monday in Kiritimati", MONDAY - 14 * HOUR, "Pacific/Kiritimati", dark=True),
    _day("a quarter of an hour in Kathmandu", MONDAY - 5 * HOUR - 45 * MINUTE, "Asia/Kathmandu", dark=True),
    _day("a zone that is none", MONDAY_NOON, "Mars/Olympus", dark=False),
    *(
        _day(f"{name}, which only machines know", MONDAY_NOON, name, dark=False)
        for name in ("localtime", "posixrules", "posix/Europe/Berlin", "right/Europe/Berlin")
    ),
    _day("a zone that is empty", MONDAY_NOON, "", dark=False),
    _day("Apia skipped a Friday", 1325239200000, "Pacific/Apia", dark=True, day="saturday"),
    _time("before the hour that Berlin skips", SPRING - 1, "Europe/Berlin", "sunday", "01:59"),
    _time("after the hour that Berlin skips", SPRING, "Europe/Berlin", "sunday", "03:00"),
    _time("the hour that Berlin has twice", AUTUMN - 1, "Europe/Berlin", "sunday", "02:59"),
    _time("and once more", AUTUMN, "Europe/Berlin", "sunday", "02:00"),
    _time("half an hour on Lord Howe", 1743865200000, "Australia/Lord_Howe", "sunday", "01:30"),
    _time("midnight is hour 0", MONDAY - HOUR, "Europe/Berlin", "monday", "00:00"),
    _time("before 1970", -1, "UTC", "wednesday", "23:59"),
]


def _page(about: str, rule: Document, *, holds: bool, **inputs: Any) -> Case:
    pages = {"mode": "any", "in": [rule], "out": []}
    expected = ["seed: v0, 0 active control" if holds else "seed: v0, 0 inactive control"]
    return case(about, experiments(experiment(pages=pages)), expected, **inputs)


FOO, CART = {"path": r"\/?foo\/?"}, {"path": r"\/?cart\/?"}
FIRED = {"id": "a", "triggers": ["element:.hero"]}
PAGES = [
    _page("an include that matches", {"include": [CART, FOO]}, holds=True),
    _page("an exclude wins", {"include": [FOO], "exclude": [FOO]}, holds=False),
    _page("no include is everywhere", {"exclude": [CART]}, holds=True),
    _page("an address that is none", {"include": [{"re": ""}]}, holds=False, url="https://[/"),
    _page("no address at all", {"include": [{"re": ""}]}, holds=False, url=None),
    _page("no address is not excluded", {"exclude": [{"re": ""}]}, holds=True, url=None),
    _page("what is missing and included", {"include": [{"re": "[]"}]}, holds=False),
    _page("the trigger has not fired", {"trigger": "element:.hero"}, holds=False),
    _page("the trigger has fired", {"trigger": "element:.hero"}, holds=True, visitor=FIRED),
    _page("the condition does not hold", {"include": [FOO], "when": DE}, holds=False),
    _page("the condition holds", {"include": [FOO], "when": DE}, holds=True, visitor=GERMAN),
    case(
        "all of them",
        experiments(experiment(pages={"mode": "all", "in": [{"include": [FOO]}, {"include": [CART]}], "out": []})),
        ["seed: v0, 0 inactive control"],
    ),
    case(
        "taken out",
        experiments(experiment(pages={"mode": "any", "in": [], "out": [{"include": [FOO]}]})),
        ["seed: v0, 0 inactive control"],
    ),
    case(
        "nowhere in particular",
        experiments(experiment(pages={"mode": "all", "in": [], "out": []})),
        ["seed: v0, 0 active control"],
    ),
]


def _audience(about: str, audience: Document, *, holds: bool, **visitor: object) -> Case:
    expected = ["seed: v0, 0 active control"] if holds else []
    return case(about, experiments(experiment(audience=audience)), expected, {"id": "a", **visitor})


NEVER: Document = {"$not": {}}
AUDIENCES = [
    _audience("any of them", people(NEVER, {}), holds=True),
    _audience("all of them", people({}, NEVER, mode="all"), holds=False),
    _audience("taken out", people({}, out=({},)), holds=False),
    _audience("not taken out", people({}, out=(NEVER,)), holds=True),
    _audience("derived: id", people({"id": "a"}), holds=True),
    _audience("derived: not logged in", people({"logged_in": False, "customer_id": None}), holds=True),
    _audience("derived: logged in", people({"logged_in": True, "customer_id": "c"}), holds=True, customer_id="c"),
    _audience("derived: the first value", people({"query.a": "1", "utm.source": "mail"}), holds=True),
    _audience("derived: the address", people({"url": {"$regex": "^https://shop.example/foo.*#top$"}}), holds=True),
    _audience(
        "given wins", people({"query": 5, "query.a": None, "id": "z"}), holds=True, attributes={"query": 5, "id": "z"}
    ),
    _audience("no local time unless asked", people({"local": {}}), holds=True),
]

CASES: dict[str, list[Case]] = {
    "personalization": PERSONALIZATIONS,
    "flag": FLAGS,
    "day": DAYS,
    "page": PAGES,
    "audience": AUDIENCES,
    "nobody": [case("an empty config", {}, []), case("no traffic anywhere", experiments(experiment(NO_BUCKETS)), [])],
}
