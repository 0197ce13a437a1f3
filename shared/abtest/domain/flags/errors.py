"""What a flag refuses, and with which status and code."""

from abtest.kit.errors import ServiceError


class KeyTakenError(ServiceError):
    """Another flag of the environment has this key."""

    status = 409
    code = "key_taken"
