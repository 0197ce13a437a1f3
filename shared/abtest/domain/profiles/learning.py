"""A visit as a store's profile: what was learned, merged with the reviews of earlier runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.domain.profiles.model import (
    BrandProfile,
    Evidence,
    Fact,
    Finding,
    KindWeight,
    LearningRun,
    SnippetState,
    StoreProfile,
    TechnicalProfile,
    Tool,
)
from abtest.domain.profiles.page import MAX_EXCERPT, Clue
from abtest.domain.profiles.problems import KINDS, MAX_CLUES, Problem, problems
from abtest.domain.profiles.signatures import Detection, ToolKind, detected
from abtest.domain.profiles.statements import Statement, data_layer_in, main_language, platform_of, statements
from abtest.domain.profiles.styles import look_of
from abtest.domain.profiles.tone import tone_of
from abtest.domain.profiles.visit import SeenPage, Visit
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.ids import named_uuid7

MAX_REVIEWED = 300
"""Confirmed and rejected facts that are kept; the oldest rejected ones go first."""

MAX_MESSAGE = 1000
SECURITY_HEADERS = (
    "content-security-policy",
    "permissions-policy",
    "referrer-policy",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Contents of a visit, before anyone has reviewed them."""

    statements: Sequence[Statement]
    problems: Sequence[Problem]
    technical: TechnicalProfile
    brand: BrandProfile
    clues: Mapping[str, Sequence[Clue]]
    """Quotations for each tool, by its key."""


def learned(visit: Visit) -> Learned:
    """Return the contents of a visit."""
    pages = visit.good
    detections = detected(pages)
    look = look_of([*(style for page in pages[:1] for style in page.styles), *(sheet.text for sheet in visit.sheets)])
    tone = tone_of(pages, main_language(visit.home.language))
    suggested = statements(visit, detections, look, tone)
    values = {
        key: [each.value for each in suggested if each.key == key]
        for key in ("brand_name", "logo", "currency", "theme")
    }
    platform = platform_of(detections)
    return Learned(
        statements=suggested,
        problems=problems(visit, detections),
        technical=TechnicalProfile(
            platform=_tool(platform) if platform else None,
            theme=next(iter(values["theme"]), None),
            languages=tuple(dict.fromkeys(page.language for page in pages if page.language)),
            hreflang=tuple(dict.fromkeys(language for page in pages for language, _ in page.alternates))[:50],
            currencies=tuple(values["currency"]),
            consent_providers=_tools(detections, "consent"),
            tag_managers=_tools(detections, "tag_manager"),
            analytics=_tools(detections, "analytics"),
            experiment_tools=_tools(detections, "experiments"),
            frameworks=_tools(detections, "framework"),
            has_data_layer=any(data_layer_in(page) for page in pages),
            security_headers={name: visit.home.header(name) or None for name in SECURITY_HEADERS},
            snippet=_snippet(visit),
            page_weights=_weights(visit),
            learned_at=visit.at,
        ),
        brand=BrandProfile(
            name=next(iter(values["brand_name"]), None),
            logo=next(iter(values["logo"]), None),
            look=look,
            tone=tone,
            learned_at=visit.at,
        ),
        clues={each.key: each.clues for each in detections},
    )


def _tools(detections: Sequence[Detection], kind: ToolKind) -> tuple[Tool, ...]:
    return tuple(_tool(each) for each in detections if each.kind == kind)


def _tool(detection: Detection) -> Tool:
    details = {name: list(values) for name, values in detection.details.items()}
    return Tool(key=detection.key, name=detection.name, confidence=detection.confidence, details=details)


def _snippet(visit: Visit) -> SnippetState:
    seen: list[SeenPage] = [each for each in visit.seen if each.page.status < 400]
    verdicts = [each.verdict for each in seen if each.verdict.is_found]
    return SnippetState(
        pages=len(seen),
        present_on=len(verdicts),
        is_first=bool(verdicts) and not any(verdict.errors for verdict in verdicts),
        is_synchronous=bool(verdicts) and not any(verdict.is_async for verdict in verdicts),
        problems=tuple(dict.fromkeys(error for each in seen for error in each.verdict.errors))[:5],
    )


def _weights(visit: Visit) -> tuple[KindWeight, ...]:
    weights = []
    for kind in dict.fromkeys(seen.kind for seen in visit.seen):
        if pages := list(visit.of_kind(kind)):
            scripts = sum(len(page.scripts) for page in pages)
            weights.append(
                KindWeight(
                    kind=kind,
                    pages=len(pages),
                    bytes=sum(page.bytes for page in pages) // len(pages),
                    scripts=scripts // len(pages),
                )
            )
    return tuple(weights)


def merged(
    profile: StoreProfile, new: Learned, run_id: str, now: Timestamp, learning: LearningRun | None = None
) -> StoreProfile:
    """Return the profile after a run.

    What a person confirmed, rejected or dismissed stays as it is: another value becomes a suggestion next to it, and
    the same value is not suggested again. Suggestions that the run does not repeat are gone. A finding that is not seen
    any more is resolved, and one that was resolved is open when it is seen again.
    """
    maker = _EvidenceMaker(run_id, now)
    facts = _facts(profile.facts, new.statements, maker)
    findings = _findings(profile.findings, new.problems, maker)
    technical = _supported(new, maker)
    supported: Sequence[Fact | Finding | Tool] = [*facts, *findings, *_tools_of(technical)]
    used = {id_ for each in supported for id_ in each.evidence_ids}
    earlier = [each for each in profile.evidence if each.id in used]
    return replace(
        profile,
        version=profile.version + 1,
        updated_at=now,
        facts=tuple(facts),
        findings=tuple(findings),
        evidence=(*(each for each in maker.made if each.id in used), *earlier),
        technical=technical,
        brand=new.brand,
        learning=learning,
    )


class _EvidenceMaker:
    """Evidence of one run. A repetition of the run makes the same ids, and one quotation is made once."""

    def __init__(self, run_id: str, now: Timestamp) -> None:
        self._run_id = run_id
        self.now = now
        self._moment = parse_timestamp(now)
        self._by_clue: dict[tuple[str, str], Evidence] = {}

    @property
    def made(self) -> Iterable[Evidence]:
        """Return all evidence, in the order in which it was used."""
        return self._by_clue.values()

    def id_of(self, name: str) -> str:
        """Return the id of something that the run adds."""
        return named_uuid7(self._moment, f"{self._run_id}#{name}")

    def of(self, clues: Sequence[Clue]) -> tuple[str, ...]:
        """Return the ids of the evidence of these clues."""
        return tuple(dict.fromkeys(self._evidence(clue).id for clue in clues[:MAX_CLUES]))

    def _evidence(self, clue: Clue) -> Evidence:
        key = clue.url, clue.excerpt
        if key not in self._by_clue:
            self._by_clue[key] = Evidence(
                id=self.id_of(f"evidence#{clue.url}#{clue.excerpt}"),
                url=clue.url,
                excerpt=clue.excerpt[:MAX_EXCERPT],
                sha256=clue.sha256,
                fetched_at=clue.fetched_at,
            )
        return self._by_clue[key]


def _supported(new: Learned, maker: _EvidenceMaker) -> TechnicalProfile:
    """Return the technology of a visit with the evidence of each tool."""

    def with_evidence(tool: Tool) -> Tool:
        return replace(tool, evidence_ids=maker.of(new.clues[tool.key]))

    technical = new.technical
    return replace(
        technical,
        platform=with_evidence(technical.platform) if technical.platform else None,
        consent_providers=tuple(map(with_evidence, technical.consent_providers)),
        tag_managers=tuple(map(with_evidence, technical.tag_managers)),
        analytics=tuple(map(with_evidence, technical.analytics)),
        experiment_tools=tuple(map(with_evidence, technical.experiment_tools)),
        frameworks=tuple(map(with_evidence, technical.frameworks)),
    )


def _tools_of(technical: TechnicalProfile) -> Iterator[Tool]:
    if technical.platform:
        yield technical.platform
    yield from technical.consent_providers
    yield from technical.tag_managers
    yield from technical.analytics
    yield from technical.experiment_tools
    yield from technical.frameworks


def _facts(before: Sequence[Fact], statements: Sequence[Statement], maker: _EvidenceMaker) -> list[Fact]:
    known = {(fact.key, fact.value): fact for fact in before}
    suggested: list[Fact] = []
    for statement in statements:
        earlier = known.get((statement.key, statement.value))
        if earlier is not None and earlier.status != "suggested":
            continue
        suggested.append(
            Fact(
                id=earlier.id if earlier else maker.id_of(f"fact#{statement.key}#{statement.value}"),
                key=statement.key,
                value=statement.value,
                confidence=statement.confidence,
                source_url=statement.clues[0].url,
                evidence_ids=maker.of(statement.clues),
                updated_at=maker.now,
            )
        )
    reviewed = [fact for fact in before if fact.status != "suggested"]
    return sorted([*_kept(reviewed), *suggested], key=lambda fact: fact.key)


def _kept(reviewed: Sequence[Fact]) -> Sequence[Fact]:
    """Return reviewed facts up to the limit: confirmed ones first, then the newest rejected ones."""
    ordered = sorted(reviewed, key=lambda fact: fact.updated_at, reverse=True)
    return sorted(ordered, key=lambda fact: fact.status != "confirmed")[:MAX_REVIEWED]


def _findings(before: Sequence[Finding], seen: Sequence[Problem], maker: _EvidenceMaker) -> list[Finding]:
    known: Mapping[str, Finding] = {finding.kind: finding for finding in before}
    after = {
        finding.kind: replace(finding, status="resolved") if finding.status == "open" else finding for finding in before
    }
    for problem in seen:
        kind, earlier = KINDS[problem.kind], known.get(problem.kind)
        is_dismissed = earlier is not None and earlier.status == "dismissed"
        after[problem.kind] = Finding(
            id=earlier.id if earlier else maker.id_of(f"finding#{problem.kind}"),
            kind=problem.kind,
            severity=kind.severity,
            message=problem.message[:MAX_MESSAGE],
            what_to_do=kind.what_to_do,
            status="dismissed" if is_dismissed else "open",
            first_seen=earlier.first_seen if earlier else maker.now,
            last_seen=maker.now,
            evidence_ids=maker.of(problem.clues),
            updated_by=earlier.updated_by if earlier and is_dismissed else None,
        )
    # A kind of an older release has no row any more; it comes last.
    order = {kind: place for place, kind in enumerate(KINDS)}
    return sorted(after.values(), key=lambda finding: order.get(finding.kind, len(order)))
