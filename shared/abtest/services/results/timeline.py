"""History of an experiment out of its audit: who launched, edited, paused and shipped it, in sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from abtest.contract.report import TimelineBy, TimelineEntry, TimelineKind
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case
from abtest.domain.guardian.kinds import KINDS
from abtest.domain.guardian.messages import Names, finding_text
from abtest.ports.catalog import AuditRow, Catalog
from abtest.services.experiments.history import diff_of, rows_about
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.results.measurements import because, begun_by

ENTRIES = 100
MOVES = frozenset({"experiment.pause", "experiment.resume", "experiment.restart"})
"""Actions after which an experiment runs, or does not."""

_ROWS_READ = 500
_FIELDS_NAMED = 3

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


@dataclass(frozen=True, slots=True)
class AuditedChange:
    """One row of the audit, with the names of variations and goals for its sentence."""

    row: AuditRow
    names: Names

    @property
    def diff(self) -> Mapping[str, Any]:
        """Fields of the change: values before and after, and notes such as the reason."""
        return diff_of(self.row)

    @property
    def kind(self) -> TimelineKind | None:
        """Kind of timeline entry; None for rows that are not part of an experiment's history."""
        if self.row.action in _KINDS:
            return _KINDS[self.row.action]
        if begun_by(self.row) is not None and because(self.row) == "weights_changed":
            return "weights_changed"
        return "changed" if self.row.action.partition(".")[0] in ("experiment", "variation", "goal") else None

    @property
    def by(self) -> TimelineBy:
        """Person, schedule or job that made the change."""
        if self.row.user_id != SYSTEM_USER_ID:
            return "person"
        reason, action = self.note("reason"), self.row.action
        if action == "experiment.guardian_triggered" or reason in KINDS:
            return "guardian"
        if isinstance(reason, str) and reason.startswith("auto_stop"):
            return "auto_stop"
        return "schedule" if action in ("experiment.launch", "experiment.complete", "experiment.schedule") else "system"

    @property
    def findings(self) -> Sequence[Mapping[str, Any]]:
        """Guardian's findings that the row records."""
        findings = self.note("guardian")
        return findings if isinstance(findings, Sequence) and not isinstance(findings, str) else ()

    def note(self, name: str) -> Any:
        """Return the value of a field after the change; None where it did not change."""
        change = self.diff.get(name)
        return change[1] if isinstance(change, Sequence) and len(change) == 2 else None

    def variation(self, name: str) -> str:
        """Return the name of the variation whose id is in this note; empty if there is none."""
        return self.names.variations.get(str(self.note(name)), "")

    def with_message(self, text: str) -> str:
        """Return the text with the message that a person gave, if any."""
        message = self.note("message")
        return f"{text}: {message}" if message else f"{text}."

    def finding(self, facts: Mapping[str, Any]) -> str:
        """Return one of Guardian's findings as a sentence."""
        case = Case(
            kind=facts["kind"],
            metric=facts["details"]["metric"],
            variation_id=facts["variation_id"],
            goal_id=facts["goal_id"],
            measurement_epoch=0,
            since="",
            checks=1,
            details=facts["details"],
        )
        return finding_text(case, self.names)


def history_of(catalog: Catalog, experiment: Experiment) -> list[AuditRow]:
    """Return the newest audit rows about an experiment, oldest first; five hundred at most."""
    rows = islice(rows_about(catalog, experiment), _ROWS_READ)
    return sorted(rows, key=lambda row: (row.created_at, row.id))


def timeline_of(experiment: Experiment, rows: Sequence[AuditRow], currency: str) -> tuple[list[TimelineEntry], int]:
    """Return the newest entries, oldest first, and how many earlier ones are left out."""
    names, entries = Names.of(experiment, currency), []
    for row in rows:
        change = AuditedChange(row, names)
        kind, by = change.kind, change.by
        # Edits of a draft are not part of the history.
        is_edit_of_draft = experiment.started_at is None or row.created_at <= experiment.started_at
        if kind is None or (kind == "changed" and is_edit_of_draft):
            continue
        entries.append(
            TimelineEntry(
                moment=row.created_at,
                kind=kind,
                sentence=_SENTENCES[kind](change),
                by=by,
                user_id=row.user_id if by == "person" else None,
                measurement_epoch=begun_by(row),
            )
        )
    return entries[-ENTRIES:], max(0, len(entries) - ENTRIES)


def guardian_pause(rows: Sequence[AuditRow], names: Names) -> AuditedChange | None:
    """Return Guardian's pause if it still holds; rows oldest first."""
    last = last_pause(rows, names)
    return last if last and last.by == "guardian" else None


def is_stopped_for_harm(experiment: Experiment, rows: Sequence[AuditRow], names: Names) -> bool:
    """Return whether auto-stop has paused the experiment for a harmed guardrail, and it was not resumed since."""
    last = last_pause(rows, names) if experiment.status != "running" else None
    return last is not None and last.note("reason") == "auto_stop_harm"


def last_pause(rows: Sequence[AuditRow], names: Names) -> AuditedChange | None:
    """Return the last pause if it still holds; rows oldest first."""
    moves = [row for row in rows if row.action in MOVES]
    last = AuditedChange(moves[-1], names) if moves else None
    return last if last and last.row.action == "experiment.pause" else None


def pause_reason(change: AuditedChange) -> str:
    """Return the finding for which Guardian paused, as a sentence."""
    reason = change.note("reason")
    finding = next((facts for facts in change.findings if facts.get("kind") == reason), None)
    return change.finding(finding) if finding else f"Guardian found {str(reason).replace('_', ' ')}."


def pause_sentence(change: AuditedChange) -> str:
    """Return who paused the experiment, and why."""
    if change.by == "guardian":
        return f"Paused by Guardian. {pause_reason(change)}"
    if change.by == "auto_stop":
        winner, guardrails = change.variation("winner"), change.note("guardrails") or ()
        if change.note("reason") == "auto_stop_harm":
            harms = " ".join(one["message"] for one in guardrails if one["status"] == "harmed")
            return f"Paused by auto-stop for harm, without a winner: {harms}"
        ended = (
            "no treatment was likely to win" if change.note("ended_by") == "futility" else "the planned end was reached"
        )
        return f"Paused by auto-stop: {f'“{winner}” won' if winner else ended}."
    return change.with_message("Paused")


def completion_sentence(change: AuditedChange) -> str:
    """Return the outcome and the winner of a completed experiment, as far as they were given."""
    outcome, winner = change.note("outcome"), change.variation("winning_variation_id")
    parts = [f"as {outcome}" if outcome else "", f"winner “{winner}”" if winner else ""]
    given = ", ".join(part for part in parts if part)
    return f"Completed {given}." if given else "Completed."


def weights_sentence(change: AuditedChange) -> str:
    """Return the weights that were changed, before and after."""

    def weight(value: Any) -> str:
        return f"{value:.3g}" if isinstance(value, int | float) else "–"

    changes = [(name, change.diff.get(f"variations.{id_}.weight")) for id_, name in change.names.variations.items()]
    shares = ", ".join(f"“{name}” {weight(pair[0])} → {weight(pair[1])}" for name, pair in changes if pair)
    return f"Weights changed{f': {shares}' if shares else ''}. Counting started over."


def edit_sentence(change: AuditedChange) -> str:
    """Return the edited fields, the first three by name: `name`, `weight of “Variant B”`."""
    fields = []
    for path in change.diff:
        kind, *rest = path.split(".")
        name = path.replace("_", " ")
        if len(rest) == 2:
            owners = change.names.variations if kind == "variations" else change.names.goals
            owner = owners.get(rest[0], f"a {kind.rstrip('s')}")
            name = f"{rest[1].replace('_', ' ')} of “{owner}”"
        if path != "measurement_epoch" and name not in fields:
            fields.append(name)
    more = f" and {len(fields) - _FIELDS_NAMED} more" if len(fields) > _FIELDS_NAMED else ""
    return f"Edited: {', '.join(fields[:_FIELDS_NAMED])}{more}." if fields else "Edited."


def schedule_sentence(change: AuditedChange) -> str:
    """Return that the schedule was changed, or why it was not carried out."""
    reason = change.note("reason")
    return f"The schedule was not carried out: {reason}" if reason else "The schedule was changed."


def evaluation_sentence(change: AuditedChange) -> str:
    """Return the outcome of the planned end."""
    outcome = str(change.note("evaluation_outcome")).replace("_", " ")
    return f"The planned end was reached and evaluated once: {outcome}."


_SENTENCES: Mapping[TimelineKind, Callable[[AuditedChange], str]] = {
    "created": lambda _: "Created.",
    "approval": lambda change: change.with_message(change.row.action.partition(".")[2].replace("_", " ").capitalize()),
    "launched": lambda _: "Launched.",
    "paused": pause_sentence,
    "resumed": lambda _: "Resumed.",
    "restarted": lambda _: "Restarted: all visitors are assigned again, and counting started over.",
    "completed": completion_sentence,
    "archived": lambda change: (
        "Archived." if change.row.action == "experiment.archive" else "Restored from the archive."
    ),
    "shipped": lambda change: (
        f"“{change.variation('variation_id') or 'a variation'}” was shipped to all visitors as a personalization."
    ),
    "weights_changed": weights_sentence,
    "plan_changed": lambda change: (
        "A plan was made." if begun_by(change.row) is None else "Plan changed. Counting started over."
    ),
    "changed": edit_sentence,
    "evaluated": evaluation_sentence,
    "scheduled": schedule_sentence,
    "alert": lambda change: " ".join(["Guardian alerted.", *map(change.finding, change.findings)]),
}
