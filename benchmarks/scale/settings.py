"""Sizes of the simulation: the full one, and parts of it for the gate."""

from dataclasses import dataclass, replace
from typing import Self

from benchmarks.scale.shops import Shops

WORKERS = 20
"""Workers at the same time: the template's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is made and measured. Full size by default."""

    shops: int = 1_000
    experiments: int = 20
    large: int = 20_000_000
    second: int = 1_000_000
    days: int = 28
    news: int = 600
    """New rows of a shop in a warm round."""

    flood: int = 300_000
    """Rows of five minutes at 1,000 a second."""

    checked: int = 20
    """Small shops that are compared with the reference after the rounds."""

    kill_shops: int = 12
    kill_experiments: int = 5
    random_kills: int = 24

    @classmethod
    def part(cls, part: int) -> Self:
        """So small a part of the full size: of shops and of rows, with as many experiments a shop."""
        full = cls()
        if part == 1:
            return full
        return replace(
            full,
            shops=max(10, full.shops // part),
            large=full.large // part,
            second=full.second // part,
            days=7,
            flood=full.flood // part,
            checked=max(4, full.checked // part),
            kill_shops=6,
            kill_experiments=2,
            random_kills=6,
        )

    def world(self) -> Shops:
        """The shops of the rounds."""
        return Shops(
            count=self.shops,
            experiments=self.experiments,
            large=self.large,
            second=self.second,
            least=min(1_000, self.second // 10),
        )
