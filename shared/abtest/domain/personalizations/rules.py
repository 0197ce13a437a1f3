"""Rules of every stored personalization beyond the form of its fields."""

from collections.abc import Sequence

from abtest.domain.changes.errors import CodeBudgetExceededError
from abtest.domain.experiments.mutations import check_list
from abtest.domain.personalizations.limits import MAX_BYTES, MAX_CODE, MAX_EXPERIENCES, MAX_RULES
from abtest.domain.personalizations.model import Experience, Personalization, Rule
from abtest.domain.targeting.checks import check_targeting
from abtest.kit import canonical_json
from abtest.kit.documents import encode
from abtest.kit.errors import LimitReachedError, refused

CODE_FIELDS = ("custom_css", "custom_js", "reset_js")


def check(personalization: Personalization) -> None:
    """Raises LimitReachedError, ValidationFailedError, UnsafeRegexError and CodeBudgetExceededError."""
    if len(personalization.experiences) > MAX_EXPERIENCES:
        raise LimitReachedError(f"a personalization has at most {MAX_EXPERIENCES} experiences")
    if len(personalization.rules) > MAX_RULES:
        raise LimitReachedError(f"a personalization has at most {MAX_RULES} rules")
    check_targeting(personalization.targeting)
    check_rules(personalization.rules, personalization.experiences, "rules")
    size = len(canonical_json.encode(encode(personalization)))
    if size > MAX_BYTES:
        raise CodeBudgetExceededError("experiences", f"{size} bytes of everything together, more than {MAX_BYTES}")


def check_rules(rules: Sequence[Rule], experiences: Sequence[Experience], path: str = "") -> None:
    """Raises ValidationFailedError for a rule that names an unknown experience, and the errors of targeting."""
    keys = {experience.key for experience in experiences}
    for index, rule in enumerate(rules):
        if rule.experience_key not in keys:
            raise refused(f"{path}[{index}].experience_key", "must be the key of an experience of this personalization")
        check_targeting(rule.targeting, f"{path}[{index}].targeting")


def check_experience(experience: Experience, path: str = "") -> None:
    """Raises ValidationFailedError and CodeBudgetExceededError with the path of the field below `path`."""
    check_list(experience.mutations, f"{path}mutations")
    size = code_size(experience)
    if size > MAX_CODE:
        place = path.removesuffix(".") or "mutations"
        raise CodeBudgetExceededError(place, f"{size} characters of code and mutations, more than {MAX_CODE}")


def code_size(experience: Experience) -> int:
    """Characters of the code fields and the serialized mutations together."""
    code = sum(len(getattr(experience, name) or "") for name in CODE_FIELDS)
    return code + (len(canonical_json.dumps(list(experience.mutations))) if experience.mutations else 0)
