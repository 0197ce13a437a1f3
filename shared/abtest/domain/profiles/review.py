"""Reviews of people: facts are confirmed or rejected, findings resolved or dismissed."""

from dataclasses import replace
from typing import Literal

from abtest.domain.profiles.model import Fact, Finding, FindingStatus, StoreProfile
from abtest.kit.clock import Timestamp
from abtest.kit.errors import NotFoundError

Review = Literal["confirmed", "rejected"]


def fact_in(profile: StoreProfile, fact_id: str) -> Fact:
    """Return a fact of the profile. Raises NotFoundError."""
    fact = next((each for each in profile.facts if each.id == fact_id), None)
    if fact is None:
        raise NotFoundError("no such fact; suggestions that a later run did not repeat are gone")
    return fact


def finding_in(profile: StoreProfile, finding_id: str) -> Finding:
    """Return a finding of the profile. Raises NotFoundError."""
    finding = next((each for each in profile.findings if each.id == finding_id), None)
    if finding is None:
        raise NotFoundError("no such finding")
    return finding


def reviewed(profile: StoreProfile, fact_id: str, status: Review, user_id: str, now: Timestamp) -> StoreProfile:
    """Return the profile after a person's word on a fact. Raises NotFoundError."""
    before = fact_in(profile, fact_id)
    if before.status == status:
        return profile
    after = replace(before, status=status, updated_at=now, updated_by=user_id)
    facts = tuple(after if fact.id == fact_id else fact for fact in profile.facts)
    return replace(profile, version=profile.version + 1, updated_at=now, facts=facts)


def settled(
    profile: StoreProfile, finding_id: str, status: FindingStatus, user_id: str, now: Timestamp
) -> StoreProfile:
    """Return the profile after a person's word on a finding. Raises NotFoundError."""
    before = finding_in(profile, finding_id)
    if before.status == status:
        return profile
    after = replace(before, status=status, updated_by=user_id)
    findings = tuple(after if each.id == finding_id else each for each in profile.findings)
    return replace(profile, version=profile.version + 1, updated_at=now, findings=findings)
