"""Configs written by hand, in the shapes of docs/data-model.md."""

from typing import Any

Json = dict[str, Any]
EVERYBODY = [0, 10000]
NOBODY = [10000, 10000]
OFFSET_BASIS = 2166136261


def fold(text: str, state: int = OFFSET_BASIS) -> int:
    """FNV-1a over UTF-16 code units."""
    data = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(data[::2], data[1::2], strict=True):
        state = ((state ^ (low | high << 8)) * 16777619) % 2**32
    return state


def bucket(state: int, visitor_id: str) -> int:
    """The bucket that the service computes."""
    return fold(str(fold(visitor_id, state))) % 10000


def experiment(treatment: Json | None = None, *, name: str = "e1", control: bool = False, **more: Any) -> Json:
    """Everybody in the treatment, or everybody in control."""
    treated, spared = (NOBODY, EVERYBODY) if control else (EVERYBODY, NOBODY)
    return {
        "id": name,
        "name": name,
        "type": "mutation",
        "epoch": 1,
        "state": fold(name),
        "variations": [
            {"id": f"{name}-control", "name": "Control", "control": True, "range": spared},
            {"id": f"{name}-treatment", "name": "Treatment", "range": treated, **(treatment or {})},
        ],
        "goals": [],
        **more,
    }


def mutate(selector: str, action: str, **fields: Any) -> Json:
    """One mutation."""
    return {"selector": selector, "action": action, **fields}


def on_path(source: str) -> Json:
    """A page rule for a path."""
    return {"include": [{"path": source}], "exclude": []}


def pages(source: str) -> Json:
    """Page targeting by one path."""
    return {"mode": "any", "in": [on_path(source)], "out": []}


def goal(kind: str, **fields: Any) -> Json:
    """One goal, counted once unless told."""
    return {"id": f"goal-{kind}", "type": kind, "once": True, **fields}


def audience(condition: Json) -> Json:
    """Those of whom the condition holds."""
    return {"mode": "any", "in": [condition], "out": []}


def triggered(trigger: str) -> Json:
    """Every page, once the trigger has fired."""
    return {"mode": "any", "in": [{"trigger": trigger}], "out": []}


def personalization(treatment: Json | None = None, *, name: str = "p1", **more: Any) -> Json:
    """Shown to everybody, with one experience of the key `default`."""
    return {
        "id": name,
        "key": f"key-{name}",
        "name": name,
        "type": "visual",
        "surface": "global",
        "state": fold(name),
        "below": 10000,
        "experiences": [{"id": f"{name}-default", "key": "default", "name": "Default", **(treatment or {})}],
        "goals": [],
        **more,
    }


def flag(key: str, **more: Any) -> Json:
    """On for everybody."""
    return {"id": f"flag-{key}", "key": key, "state": fold(key), "below": 10000, "on": True, "off": False, **more}
