"""Profile of a store: facts and findings with their evidence, and the reviews of people."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

from abtest.kit.clock import Timestamp, later

RECORD_ID = "PROFILE"
RUNS_A_DAY = 10
"""Runs in any 24 hours."""

FactStatus = Literal["suggested", "confirmed", "rejected"]
FindingStatus = Literal["open", "resolved", "dismissed"]
Severity = Literal["critical", "warning", "notice"]
ColourRole = Literal["background", "text", "border", "accent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Colour:
    """Colour with its share of all uses, what it is used for, and the custom properties that have it."""

    value: str
    share: float
    roles: tuple[ColourRole, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Font:
    """Font with its share of all uses."""

    family: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleColour:
    """Colour that the style sheets give to the whole page, or name as its accent, and where they declare it."""

    role: ColourRole
    value: str
    declared: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Colours and fonts of style sheets, the most used first. `roles` has a role at most once."""

    colours: tuple[Colour, ...] = ()
    fonts: tuple[Font, ...] = ()
    roles: tuple[RoleColour, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tone:
    """Counts of the texts of all pages. Rates are None where they cannot be counted."""

    headlines: int
    words_per_headline: float | None
    exclamation_share: float | None
    """Share of sentences that end with an exclamation mark."""
    second_person_share: float | None
    """Share of words that address the reader; None in a language without a list of them."""
    calls_to_action: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Quotation from a page at a moment, and the hash of the whole page."""

    id: str
    url: str
    excerpt: str
    sha256: str
    fetched_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Statement about the store. A person confirms or rejects it; a run only suggests."""

    id: str
    key: str
    value: str
    status: FactStatus = "suggested"
    confidence: float
    source_url: str
    evidence_ids: tuple[str, ...]
    updated_at: Timestamp
    updated_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Problem of the store that runs see, and the advice about it. Each kind is listed once."""

    id: str
    kind: str
    severity: Severity
    message: str
    what_to_do: str
    status: FindingStatus = "open"
    first_seen: Timestamp
    last_seen: Timestamp
    evidence_ids: tuple[str, ...]
    updated_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Platform or tool as a run saw it; `details` are such as version, theme or id."""

    key: str
    name: str
    confidence: float
    details: Mapping[str, Any]
    evidence_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetState:
    """Our snippet on the pages of a run: on how many of them it is, and what is wrong with it."""

    pages: int
    present_on: int
    is_first: bool
    is_synchronous: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindWeight:
    """Average page of a kind: bytes of its HTML, and scripts with an address."""

    kind: str
    pages: int
    bytes: int
    scripts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TechnicalProfile:
    """Technology of the store, as the last completed run saw it. `platform` is None without enough evidence."""

    platform: Tool | None
    theme: str | None = None
    languages: tuple[str, ...]
    hreflang: tuple[str, ...]
    currencies: tuple[str, ...]
    consent_providers: tuple[Tool, ...]
    tag_managers: tuple[Tool, ...]
    analytics: tuple[Tool, ...]
    experiment_tools: tuple[Tool, ...]
    frameworks: tuple[Tool, ...]
    has_data_layer: bool
    security_headers: Mapping[str, str | None]
    snippet: SnippetState
    page_weights: tuple[KindWeight, ...]
    learned_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandProfile:
    """Brand of the store, as the last completed run saw it."""

    name: str | None
    logo: str | None
    look: Look
    tone: Tone
    learned_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Completed experiment: its outcome, the lift of its deciding goal with its interval, and what its team learned.

    Figures are None where they cannot be computed, such as with too few visitors. `changes` are the kinds of changes,
    `page_kind` is None where the pages are named by wildcards only.
    """

    experiment_id: str
    name: str
    outcome: str | None
    learning: str | None
    ended_at: Timestamp | None
    page_kind: str | None
    changes: tuple[str, ...]
    goal: str | None = None
    variation: str | None = None
    lift: float | None = None
    lift_lower: float | None = None
    lift_upper: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonGroup:
    """Experiments on one kind of page, or with one kind of change, counted by outcome."""

    name: str
    experiments: int
    won: int
    lost: int
    inconclusive: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningRun:
    """Completed experiments of the shop, the newest first, and their sums. `more` are older ones without a row."""

    learned_at: Timestamp
    lessons: tuple[Lesson, ...]
    more: int
    by_page_kind: tuple[LessonGroup, ...]
    by_change: tuple[LessonGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreProfile:
    """Profile of one shop. `run_id` is its latest run."""

    shop_id: str
    version: int = 0
    created_at: Timestamp
    updated_at: Timestamp
    facts: tuple[Fact, ...] = ()
    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    technical: TechnicalProfile | None = None
    brand: BrandProfile | None = None
    learning: LearningRun | None = None
    run_id: str | None = None
    begun_runs: tuple[Timestamp, ...] = ()
    """Moments of the last runs, oldest first: as many as a day may have."""

    def facts_in(self, status: FactStatus) -> list[Fact]:
        """Return the facts with a status."""
        return [fact for fact in self.facts if fact.status == status]

    def with_run(self, run_id: str, now: Timestamp) -> "StoreProfile":
        """Return the profile with this run as its latest."""
        begun = (*self.begun_runs, now)[-RUNS_A_DAY:]
        return replace(self, version=self.version + 1, updated_at=now, run_id=run_id, begun_runs=begun)

    def next_run(self, now: Timestamp) -> Timestamp:
        """Return when the next run may begin: now, or a day after the first one of the last ten."""
        if len(self.begun_runs) < RUNS_A_DAY:
            return now
        return max(now, later(self.begun_runs[0], timedelta(days=1)))

    @property
    def open_findings(self) -> list[Finding]:
        """Return the findings that wait for a person."""
        return [finding for finding in self.findings if finding.status == "open"]
