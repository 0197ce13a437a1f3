"""Design of a group-sequential test, frozen with the plan, and its form in stored documents."""

from dataclasses import dataclass
from math import isfinite

from abtest.domain.stats.group_sequential.documents import DesignDocument, Sides, SpendingDocument
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, Spending


@dataclass(frozen=True, slots=True, kw_only=True)
class Futility:
    """Bounds under which a test may be given up: `beta` is spent over the looks at the planned `drift`.

    They are not binding: a test that goes on below them keeps its error rate. `drift` is the expected z at the planned
    information. Raises ValueError for a beta that is not between 0 and 1, or a drift that is not positive.
    """

    beta: float
    drift: float
    spending: Spending = OBRIEN_FLEMING

    def __post_init__(self) -> None:
        if not 0 < self.beta < 1:
            raise ValueError("beta must be between 0 and 1")
        if not (isfinite(self.drift) and self.drift > 0):
            raise ValueError("drift must be a positive number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Error rate, spending, and futility of a test. With `sides` 2 half of alpha is spent on each side, alike.

    With one side only the treatment's being ahead (z above a bound) ends the test early.
    Raises ValueError for an alpha that is not between 0 and 1, or sides other than 1 and 2.
    """

    alpha: float = 0.05
    sides: Sides = 2
    spending: Spending = OBRIEN_FLEMING
    futility: Futility | None = None

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError("alpha must be between 0 and 1")
        if self.sides not in (1, 2):
            raise ValueError("sides must be 1 or 2")

    @property
    def alpha_a_side(self) -> float:
        """Return the error rate of one side."""
        return self.alpha / self.sides

    def document(self) -> DesignDocument:
        """Return the design as JSON values."""
        document: DesignDocument = {
            "alpha": self.alpha,
            "sides": self.sides,
            "spending": _spending_document(self.spending),
        }
        if self.futility:
            document["futility"] = {
                "beta": self.futility.beta,
                "drift": self.futility.drift,
                "spending": _spending_document(self.futility.spending),
            }
        return document


def design_of(document: DesignDocument) -> Design:
    """Return a stored design. Raises ValueError as `Design` does."""
    futility = document.get("futility")
    return Design(
        alpha=document["alpha"],
        sides=document["sides"],
        spending=_spending(document["spending"]),
        futility=futility
        and Futility(beta=futility["beta"], drift=futility["drift"], spending=_spending(futility["spending"])),
    )


def _spending_document(spending: Spending) -> SpendingDocument:
    return {"family": spending.family, "gamma": spending.gamma}


def _spending(document: SpendingDocument) -> Spending:
    return Spending(family=document["family"], gamma=document["gamma"])
