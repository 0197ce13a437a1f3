"""Outcomes of shots, as a job keeps them: recorded one by one, so that another attempt continues behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.screenshots.order import Shot
from abtest.kit.documents import Document, decode, encode

MAX_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Picture of one shot, or the reason why there is none. `file_key` is the key of its stored file."""

    place: int
    asset_id: str | None = None
    file_key: str | None = None
    width: int | None = None
    height: int | None = None
    sha256: str | None = None
    is_truncated: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """Outcomes of a job so far. `at` is the shot that a careful attempt is about to take."""

    outcomes: tuple[Outcome, ...] = ()
    at: int | None = None

    def missing(self, shots: Sequence[Shot]) -> list[Shot]:
        """Return the shots without an outcome."""
        places = {outcome.place for outcome in self.outcomes}
        return [shot for shot in shots if shot.place not in places]

    def with_outcome(self, outcome: Outcome) -> "Film":
        """Return the film with the outcome of one more shot; the first outcome of a shot counts."""
        if any(each.place == outcome.place for each in self.outcomes):
            return self
        return replace(self, outcomes=tuple(sorted((*self.outcomes, outcome), key=lambda each: each.place)), at=None)

    @property
    def has_picture(self) -> bool:
        """Return whether any shot has a picture."""
        return any(outcome.asset_id is not None for outcome in self.outcomes)

    @property
    def first_error(self) -> str:
        """Return the first reason for which a picture is missing; "" without one."""
        return next((outcome.error for outcome in self.outcomes if outcome.error), "")

    def progress(self, shots: Sequence[Shot]) -> int:
        """Return the share of shots with an outcome, in percent."""
        return 100 * len(self.outcomes) // max(1, len(shots))


def missed(shot: Shot, reason: str) -> Outcome:
    """Return the outcome of a shot that failed; the reason is a sentence for people, without its period."""
    return Outcome(place=shot.place, error=reason[:MAX_REASON])


def film_document(film: Film) -> Document:
    """Return the stored form, which is the result of a job."""
    return encode(film)


def film_from(document: Mapping[str, Any]) -> Film:
    """Return the film of a stored form; an empty one for a job without a result."""
    return decode(Film, document)
