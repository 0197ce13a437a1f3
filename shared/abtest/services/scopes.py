"""Scopes that a field of a request body needs in addition to the one of its route."""

from abtest.kit.errors import ServiceError
from abtest.services.context import Caller


class FieldScopeRequiredError(ServiceError):
    """The field needs a scope that the key lacks, which `required_scope` names."""

    status = 403
    code = "insufficient_scope"

    def __init__(self, field: str, scope: str) -> None:
        super().__init__(f"{field} needs the scope {scope}", facts={"required_scope": scope})


def require_scope(caller: Caller, scope: str, *, field: str) -> None:
    """Raise FieldScopeRequiredError unless the caller's key has the scope."""
    if scope not in caller.scopes:
        raise FieldScopeRequiredError(field, scope)
