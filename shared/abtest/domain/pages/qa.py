"""QA run of a version: its checks, their findings, and the decision of a person about it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict

from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.kit.clock import Timestamp

QaStatus = Literal["queued", "running", "passed", "failed", "approved", "rejected"]
Decision = Literal["approve", "reject"]
Severity = Literal["error", "warn"]

RUNS_AN_HOUR = 20
"""QA runs that a shop may start."""

_SOURCES: Mapping[Decision, tuple[QaStatus, ...]] = {
    "approve": ("passed",),
    "reject": ("queued", "running", "passed", "failed"),
}
_RESULTS: Mapping[Decision, QaStatus] = {"approve": "approved", "reject": "rejected"}


class Viewport(TypedDict):
    """Window of a browser; `device_scale` is the pixels of the device for one of the page."""

    width: int
    height: int
    device_scale: int
    touch: bool


PHONE = Viewport(width=390, height=844, device_scale=2, touch=True)
DESKTOP = Viewport(width=1280, height=800, device_scale=1, touch=False)
VIEWPORTS: tuple[Viewport, ...] = (PHONE, DESKTOP)


class Finding(TypedDict):
    """Problem of a page; an error makes the run fail. What does not apply is None."""

    check: str
    severity: Severity
    viewport: Viewport | None
    selector: str | None
    message: str
    value: float | None
    limit: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QaRun:
    """QA run of one version of a landing page."""

    id: str
    shop_id: str
    version: int = 1
    landing_page_id: str
    version_id: str
    status: QaStatus = "queued"
    viewports: tuple[Any, ...] = VIEWPORTS
    screenshots: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Any, ...] = ()
    approved_by: str | None = None
    approved_at: Timestamp | None = None
    created_at: Timestamp
    updated_at: Timestamp


def finding(check: str, severity: Severity, message: str) -> Finding:
    """Return a finding about the page as a whole."""
    return Finding(
        check=check, severity=severity, viewport=None, selector=None, message=message, value=None, limit=None
    )


def gate_findings(report: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the checks of a gate report that did not pass."""
    for check in report["checks"]:
        if check["status"] != "pass":
            yield finding(check["key"], "error" if check["status"] == "fail" else "warn", check["message"])


def begun(run: QaRun, now: Timestamp) -> QaRun:
    """Return the run while its checks are made; one that is further already as it is."""
    return _changed(run, now, status="running") if run.status == "queued" else run


def is_open(run: QaRun) -> bool:
    """Return whether the checks of a run may still bring it to its end."""
    return run.status in ("queued", "running")


def checked(
    run: QaRun, findings: Sequence[Finding], now: Timestamp, screenshots: Mapping[str, Any] | None = None
) -> QaRun:
    """Return the run with its findings, passed unless one is an error; one that was decided already as it is."""
    if not is_open(run):
        return run
    has_error = any(each["severity"] == "error" for each in findings)
    return _changed(
        run, now, status="failed" if has_error else "passed", findings=tuple(findings), screenshots=screenshots or {}
    )


def allowed_decisions(run: QaRun) -> tuple[Decision, ...]:
    """Return the decisions that the run allows now."""
    return tuple(decision for decision, sources in _SOURCES.items() if run.status in sources)


def decided(run: QaRun, decision: Decision, note: str | None, user_id: str, now: Timestamp) -> QaRun:
    """Return the run after a decision; the same one if it was decided so already. Raises InvalidStateTransitionError.

    The note of a rejection is its last finding, so that it reaches those who mend the page.
    """
    if run.status == _RESULTS[decision]:
        return run
    if run.status not in _SOURCES[decision]:
        raise InvalidStateTransitionError(decision, run.status, allowed_decisions(run), subject="QA run")
    if decision == "approve":
        return _changed(run, now, status="approved", approved_by=user_id, approved_at=now)
    noted = (finding("review", "error", note),) if note else ()
    return _changed(run, now, status="rejected", findings=(*run.findings, *noted))


def _changed(run: QaRun, now: Timestamp, **fields: Any) -> QaRun:
    return replace(run, version=run.version + 1, updated_at=now, **fields)
