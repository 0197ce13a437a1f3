"""What happened to an experiment, out of its audit: who launched, edited, paused and shipped it, in sentences."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from abtest.contract.report import TimelineBy, TimelineEntry, TimelineKind
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case
from abtest.domain.guardian.kinds import KINDS
from abtest.domain.guardian.messages import Names, what
from abtest.ports.catalog import AuditRow, Catalog
from abtest.services.experiments.history import diff_of, rows_about
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.results.measurements import because, begun_by

ENTRIES = 100
_ROWS_READ = 500
_FIELDS_NAMED = 3

Diff = Mapping[str, Any]


def history_of(catalog: Catalog, experiment: Experiment) -> list[AuditRow]:
    """The newest rows of the audit about an experiment, oldest first; five hundred at most."""
    found = islice(rows_about(catalog, experiment), _ROWS_READ)
    return sorted(found, key=lambda row: (row.created_at, row.id))


def timeline_of(experiment: Experiment, rows: Sequence[AuditRow], currency: str) -> tuple[list[TimelineEntry], int]:
    """The newest entries, oldest first, and how many earlier ones are left out."""
    names = Names.of(experiment, currency)
    entries = [entry for row in rows if (entry := _entry(row, experiment, names)) is not None]
    return entries[-ENTRIES:], max(0, len(entries) - ENTRIES)


def guardian_pause(rows: Sequence[AuditRow]) -> AuditRow | None:
    """The pause by Guardian that still holds, if one does; rows oldest first."""
    moves = [row for row in rows if row.action in ("experiment.pause", "experiment.resume", "experiment.restart")]
    last = moves[-1] if moves else None
    return last if last is not None and last.action == "experiment.pause" and _by(last) == "guardian" else None


def what_paused(row: AuditRow, names: Names) -> str:
    """What Guardian found, in a sentence."""
    told = _told(row)
    reason = _note(diff_of(row), "reason")
    case = next((found for found in told if found.get("kind") == reason), None)
    return _finding(case, names) if case else f"Guardian found {str(reason).replace('_', ' ')}."


def _entry(row: AuditRow, experiment: Experiment, names: Names) -> TimelineEntry | None:
    kind, diff = _kind(row), diff_of(row)
    if kind is None or (kind == "changed" and not _is_of_a_started(row, experiment)):
        return None
    by = _by(row)
    return TimelineEntry(
        moment=row.created_at,
        kind=kind,
        sentence=_SENTENCES[kind](row, diff, names),
        by=by,
        user_id=row.user_id if by == "person" else None,
        measurement_epoch=begun_by(row),
    )


_KINDS: Mapping[str, TimelineKind] = {
    "experiment.create": "created",
    "experiment.duplicate": "created",
    "experiment.launch": "launched",
    "experiment.pause": "paused",
    "experiment.resume": "resumed",
    "experiment.restart": "restarted",
    "experiment.complete": "completed",
    "experiment.archive": "archived",
    "experiment.unarchive": "archived",
    "experiment.ship": "shipped",
    "experiment.plan": "plan_changed",
    "experiment.evaluate": "evaluated",
    "experiment.schedule": "scheduled",
    "experiment.unschedule": "scheduled",
    "experiment.guardian_triggered": "alert",
    **dict.fromkeys(
        (
            "experiment.request_approval",
            "experiment.approve",
            "experiment.request_changes",
            "experiment.withdraw_approval",
        ),
        "approval",
    ),
}


def _kind(row: AuditRow) -> TimelineKind | None:
    if row.action in _KINDS:
        return _KINDS[row.action]
    if begun_by(row) is not None and because(row) == "weights_changed":
        return "weights_changed"
    return "changed" if row.action.partition(".")[0] in ("experiment", "variation", "goal") else None


def _is_of_a_started(row: AuditRow, experiment: Experiment) -> bool:
    """What is edited before the first start is no part of the story."""
    return experiment.started_at is not None and row.created_at > experiment.started_at


def _by(row: AuditRow) -> TimelineBy:
    if row.user_id != SYSTEM_USER_ID:
        return "person"
    reason = _note(diff_of(row), "reason")
    if row.action == "experiment.guardian_triggered" or reason in KINDS:
        return "guardian"
    if isinstance(reason, str) and reason.startswith("auto_stop"):
        return "auto_stop"
    return "schedule" if row.action in ("experiment.launch", "experiment.complete", "experiment.schedule") else "system"


def _note(diff: Diff, name: str) -> Any:
    found = diff.get(name)
    return found[1] if isinstance(found, Sequence) and len(found) == 2 else None


def _told(row: AuditRow) -> Sequence[Mapping[str, Any]]:
    found = _note(diff_of(row), "guardian")
    return found if isinstance(found, Sequence) and not isinstance(found, str) else ()


def _finding(told: Mapping[str, Any], names: Names) -> str:
    case = Case(
        kind=told["kind"],
        metric=told["details"]["metric"],
        variation_id=told["variation_id"],
        goal_id=told["goal_id"],
        measurement_epoch=0,
        since="",
        checks=1,
        details=told["details"],
    )
    return what(case, names)


def _plain(text: str) -> Callable[[AuditRow, Diff, Names], str]:
    return lambda _row, _diff, _names: text


def _with_message(text: str) -> Callable[[AuditRow, Diff, Names], str]:
    def said(_row: AuditRow, diff: Diff, _names: Names) -> str:
        message = _note(diff, "message")
        return f"{text}: {message}" if message else f"{text}."

    return said


def _paused(row: AuditRow, diff: Diff, names: Names) -> str:
    by = _by(row)
    if by == "guardian":
        return f"Paused by Guardian. {what_paused(row, names)}"
    if by == "auto_stop":
        winner = names.variations.get(str(_note(diff, "winner")), "")
        return f"Paused by auto-stop: {f'“{winner}” won' if winner else 'the planned end was reached'}."
    return _with_message("Paused")(row, diff, names)


def _completed(_row: AuditRow, diff: Diff, names: Names) -> str:
    outcome = _note(diff, "outcome")
    winner = names.variations.get(str(_note(diff, "winning_variation_id")), "")
    told = [f"as {outcome}" if outcome else "", f"winner “{winner}”" if winner else ""]
    return f"Completed {', '.join(part for part in told if part)}.".replace(" .", ".")


def _shipped(_row: AuditRow, diff: Diff, names: Names) -> str:
    name = names.variations.get(str(_note(diff, "variation_id")), "a variation")
    return f"“{name}” was shipped to everybody as a personalization."


def _weights(_row: AuditRow, diff: Diff, names: Names) -> str:
    told = [
        f"“{name}” {_share(change[0])} → {_share(change[1])}"
        for variation_id, name in names.variations.items()
        if (change := diff.get(f"variations.{variation_id}.weight"))
    ]
    return f"Weights changed{': ' + ', '.join(told) if told else ''}. Counting began anew."


def _share(weight: Any) -> str:
    return f"{weight:.3g}" if isinstance(weight, int | float) else "–"


def _plan(row: AuditRow, _diff: Diff, _names: Names) -> str:
    return "Plan changed. Counting began anew." if begun_by(row) is not None else "A plan was stated."


def _evaluated(_row: AuditRow, diff: Diff, _names: Names) -> str:
    outcome = str(_note(diff, "evaluation_outcome")).replace("_", " ")
    return f"The planned end was reached and looked at once: {outcome}."


def _alert(row: AuditRow, _diff: Diff, names: Names) -> str:
    return " ".join(["Guardian alerted.", *(_finding(told, names) for told in _told(row))])


def _archived(row: AuditRow, _diff: Diff, _names: Names) -> str:
    return "Archived." if row.action == "experiment.archive" else "Taken back from the archive."


def _scheduled(_row: AuditRow, diff: Diff, _names: Names) -> str:
    reason = _note(diff, "reason")
    return f"The schedule was not carried out: {reason}" if reason else "The schedule was changed."


def _approval(row: AuditRow, diff: Diff, names: Names) -> str:
    return _with_message(row.action.partition(".")[2].replace("_", " ").capitalize())(row, diff, names)


def _changed(_row: AuditRow, diff: Diff, names: Names) -> str:
    fields = [_field(name, names) for name in diff if name != "measurement_epoch"]
    fields = list(dict.fromkeys(fields))
    more = f" and {len(fields) - _FIELDS_NAMED} more" if len(fields) > _FIELDS_NAMED else ""
    return f"Edited: {', '.join(fields[:_FIELDS_NAMED])}{more}." if fields else "Edited."


def _field(name: str, names: Names) -> str:
    kind, *rest = name.split(".")
    if len(rest) != 2:
        return name.replace("_", " ")
    owner = (names.variations if kind == "variations" else names.goals).get(rest[0], f"a {kind.rstrip('s')}")
    return f"{rest[1].replace('_', ' ')} of “{owner}”"


_SENTENCES: Mapping[TimelineKind, Callable[[AuditRow, Diff, Names], str]] = {
    "created": _plain("Created."),
    "approval": _approval,
    "launched": _plain("Launched."),
    "paused": _paused,
    "resumed": _plain("Resumed."),
    "restarted": _plain("Restarted: everybody is assigned anew, and counting began anew."),
    "completed": _completed,
    "archived": _archived,
    "shipped": _shipped,
    "weights_changed": _weights,
    "plan_changed": _plan,
    "changed": _changed,
    "evaluated": _evaluated,
    "scheduled": _scheduled,
    "alert": _alert,
}
