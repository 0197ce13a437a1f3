"""Refusals of preview tokens, at the proxy and on the shop's own pages."""

from abtest.kit.errors import ServiceError


class PreviewTokenMissingError(ServiceError):
    """Request without a token."""

    status = 401
    code = "preview_token_missing"

    def __init__(self) -> None:
        super().__init__("open the address of a preview as it was returned: it has a token in pst")


class PreviewTokenInvalidError(ServiceError):
    """Token that is forged or damaged, or whose session was revoked."""

    status = 401
    code = "preview_token_invalid"

    def __init__(self) -> None:
        super().__init__("this preview does not exist or was ended; open a new one")


class PreviewTokenExpiredError(ServiceError):
    """Token of ours that has expired."""

    status = 401
    code = "preview_token_expired"

    def __init__(self) -> None:
        super().__init__("this preview has expired; open a new one")
