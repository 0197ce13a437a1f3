"""Errors that flags and personalizations share."""

from abtest.kit.errors import ServiceError


class KeyTakenError(ServiceError):
    """Key that another one has in the same environment or, for an experience, in the same personalization."""

    status = 409
    code = "key_taken"
