"""Text of uploaded documents, which anyone may have made."""

from typing import Protocol

from abtest.domain.brand.excerpts import Problem


class UnreadableDocumentError(Exception):
    """Document whose text cannot be read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem: Problem = problem


class DocumentTexts(Protocol):
    """Reader of documents."""

    def beginning(self, content: bytes) -> str:
        """Return the first characters of a document's text, within fixed limits of time and memory.

        Raises UnreadableDocumentError.
        """
        ...
