"""What a personalization refuses, and with which status and code."""

from abtest.kit.errors import FieldError, ServiceError


class CodeBudgetExceededError(ServiceError):
    """More code and mutations than shoppers are to load. Without a path it is the whole request that is too large."""

    status = 422
    code = "code_budget_exceeded"

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message, fields=[FieldError(path, message)] if path else ())
