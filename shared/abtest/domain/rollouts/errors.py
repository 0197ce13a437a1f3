"""What flags and personalizations are refused for alike."""

from abtest.kit.errors import ServiceError


class KeyTakenError(ServiceError):
    """Another one has this key: in the same environment or, for an experience, in the same personalization."""

    status = 409
    code = "key_taken"
