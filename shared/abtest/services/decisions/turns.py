"""Turns of auto-stop and of Guardian at the experiments of one shop, out of what was read for many at once."""

from dataclasses import dataclass
from typing import Protocol

from abtest.domain.experiments.model import Experiment
from abtest.services.autostop.run import AutoStop, AutoStopShop
from abtest.services.decisions.chunk import Chunk
from abtest.services.guardian.evidence import ShopSight
from abtest.services.guardian.run import Guardian
from abtest.services.leases import Lease


class Turns(Protocol):
    """One task at running experiments of a shop."""

    def settled(self, chunk: Chunk, experiment: Experiment) -> str | None:
        """Return the result where there is nothing to do, in one word; None where a turn is due."""
        ...

    def turn(self, chunk: Chunk, experiment: Experiment, held: Lease) -> str:
        """Have the turn under a lease, checked before writes; return its result. Raises LeaseLostError and others."""
        ...


@dataclass(frozen=True, slots=True)
class AutoStopTurns:
    """Looks and decisions."""

    use: AutoStop
    shop: AutoStopShop

    def settled(self, chunk: Chunk, experiment: Experiment) -> str | None:
        return self.use.settled(self.shop, experiment, chunk.totals(experiment), chunk.looks(experiment))

    def turn(self, chunk: Chunk, experiment: Experiment, held: Lease) -> str:
        return self.use.turn(self.shop, experiment, chunk.totals(experiment), chunk.looks(experiment), held)


@dataclass(frozen=True, slots=True)
class GuardianTurns:
    """Checks."""

    use: Guardian
    sight: ShopSight

    def settled(self, chunk: Chunk, experiment: Experiment) -> str | None:
        return self.use.settled(experiment, chunk.totals(experiment), chunk.memory(experiment))

    def turn(self, chunk: Chunk, experiment: Experiment, held: Lease) -> str:
        return self.use.turn(self.sight, experiment, chunk.totals(experiment), chunk.memory(experiment), held)
