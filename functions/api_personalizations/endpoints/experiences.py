"""Routes of a personalization's experiences and of the rules that choose among them."""

from typing import Annotated

from fastapi import Path

from abtest.contract.base import ListOf
from abtest.contract.errors import PageLiveImpactEnvelope
from abtest.contract.personalizations import (
    ExperienceCreate,
    ExperienceUpdate,
    Personalization,
    PersonalizationExperience,
    PersonalizationRules,
    StoredKey,
)
from abtest.domain.changes.errors import CodeBudgetExceededError, LiveImpactError
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, carries_code, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.http.validation import InlineDataUriTooLargeError
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiments.scripts import InvalidScriptError
from abtest.services.personalizations.experiences import Experiences
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.publication import TooLargeError
from api_personalizations.endpoints.vocabulary import (
    Confirmation,
    PersonalizationId,
    Reader,
    Writer,
    experience,
    personalization,
)

router = Router("/personalizations/{personalization_id}", tag="Personalizations")

Uses = Annotated[Experiences, use(Experiences)]
Reads = Annotated[PersonalizationStore, use(PersonalizationStore)]
ExperienceKey = Annotated[StoredKey, Path(description="Key of an experience.")]

CODE = (
    CodeBudgetExceededError,
    InlineDataUriTooLargeError,
    InvalidScriptError,
    TooLargeError,
    LimitReachedError,
    LiveImpactError,
    NotFoundError,
    ValidationFailedError,
)


@router.get("/experiences", operation_id="listExperiences", responses=errors(NotFoundError))
def list_experiences(
    personalization_id: PersonalizationId, caller: Reader, page: Page, reading: Reads
) -> ListOf[PersonalizationExperience]:
    """List the experiences of a personalization, oldest first."""
    items = [PersonalizationExperience.of(item) for item in reading.get(caller.shop_id, personalization_id).experiences]
    start = next((index + 1 for index, item in enumerate(items) if item.id == page.after), 0)
    shown = items[start : start + page.limit]
    return page.page(shown, shown[-1].id if start + page.limit < len(items) else None)


@router.post(
    "/experiences",
    operation_id="createExperience",
    status_code=201,
    responses=errors(KeyTakenError, *CODE, s409=PageLiveImpactEnvelope),
)
@carries_code
def create_experience(
    personalization_id: PersonalizationId, body: ExperienceCreate, caller: Writer, uses: Uses, if_match: IfMatch
) -> PersonalizationExperience:
    """Add an experience. It is shown when a rule names it, or by default if its key is `default`.

    A personalization has at most 51 experiences of 1,000 mutations each, and 4,000,000 bytes together (422
    `code_budget_exceeded`).
    """
    return experience(
        uses.add(caller, personalization_id, body.provided(), consent=body.consent(), expected_version=if_match)
    )


@router.patch(
    "/experiences/{experience_key:path}",
    operation_id="updateExperience",
    responses=errors(*CODE, s409=PageLiveImpactEnvelope),
)
@carries_code
def update_experience(
    personalization_id: PersonalizationId,
    experience_key: ExperienceKey,
    body: ExperienceUpdate,
    caller: Writer,
    uses: Uses,
    if_match: IfMatch,
) -> PersonalizationExperience:
    """Change an experience. While the personalization is active, this needs `confirm_live_impact`."""
    return experience(
        uses.update(
            caller,
            personalization_id,
            experience_key,
            body.provided(),
            consent=body.consent(),
            expected_version=if_match,
        )
    )


@router.delete(
    "/experiences/{experience_key:path}",
    operation_id="deleteExperience",
    status_code=204,
    responses=errors(NotFoundError, ConflictError, LiveImpactError, s409=PageLiveImpactEnvelope),
)
def delete_experience(
    personalization_id: PersonalizationId,
    experience_key: ExperienceKey,
    caller: Writer,
    uses: Uses,
    if_match: IfMatch,
    consent: Confirmation,
) -> None:
    """Remove an experience. The last one, and one that a rule names, cannot be removed."""
    uses.remove(caller, personalization_id, experience_key, consent=consent, expected_version=if_match)


@router.put(
    "/rules",
    operation_id="setPersonalizationRules",
    responses=errors(
        CodeBudgetExceededError,
        NotFoundError,
        LiveImpactError,
        UnsafeRegexError,
        ValidationFailedError,
        s409=PageLiveImpactEnvelope,
    ),
)
def set_rules(
    personalization_id: PersonalizationId,
    body: PersonalizationRules,
    caller: Writer,
    uses: Uses,
    if_match: IfMatch,
    consent: Confirmation,
) -> Personalization:
    """Replace the rules, in their order: the first one that matches selects the experience.

    If no rule matches, the experience with the key `default` is shown. A rule that the request leaves unchanged keeps
    its id. At most 50 rules.
    """
    rules = [rule.provided() for rule in body]
    return personalization(
        uses.set_rules(caller, personalization_id, rules, consent=consent, expected_version=if_match)
    )
