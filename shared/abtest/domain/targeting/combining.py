"""Questions with a yes or no, joined and negated. Loops, since all() and any() would make a generator at each call."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Asked = TypeVar("Asked")


class Every(Generic[Asked]):
    """Yes where all say yes, and where there are none."""

    __slots__ = ("questions",)

    def __init__(self, questions: Sequence[Callable[[Asked], bool]]) -> None:
        self.questions = tuple(questions)

    def __call__(self, asked: Asked) -> bool:
        for question in self.questions:  # noqa: SIM110
            if not question(asked):
                return False
        return True


def every(questions: Sequence[Callable[[Asked], bool]]) -> Callable[[Asked], bool]:
    """Yes where all say yes, and where there are none."""
    return questions[0] if len(questions) == 1 else Every(questions)


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


def negated(question: Callable[[Asked], bool]) -> Callable[[Asked], bool]:
    """Yes where the question says no."""
    return lambda asked: not question(asked)


def parts_of(question: Callable[[Asked], bool]) -> Iterator[Callable[[Asked], bool]]:
    """The questions that must all be answered yes; itself, when it is not joined of others."""
    if isinstance(question, Every):
        for part in question.questions:
            yield from parts_of(part)
    else:
        yield question
