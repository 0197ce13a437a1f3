"""Questions with a yes or no, joined and negated. Loops, since all() and any() would make a generator at each call."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Asked = TypeVar("Asked")


def negated(question: Callable[[Asked], bool]) -> Callable[[Asked], bool]:
    """Yes where the question says no."""
    return lambda asked: not question(asked)


def every(questions: Sequence[Callable[[Asked], bool]]) -> Callable[[Asked], bool]:
    """Yes where all say yes, and where there are none."""
    if len(questions) == 1:
        return questions[0]

    def answer(asked: Asked) -> bool:
        for question in questions:  # noqa: SIM110
            if not question(asked):
                return False
        return True

    return answer


def some(questions: Sequence[Callable[[Asked], bool]]) -> Callable[[Asked], bool]:
    """Yes where one says yes; no where there are none."""
    if len(questions) == 1:
        return questions[0]

    def answer(asked: Asked) -> bool:
        for question in questions:  # noqa: SIM110
            if question(asked):
                return True
        return False

    return answer
