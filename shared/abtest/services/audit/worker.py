"""Work on one message of the audit: roll-ups of a few records of one shop, or an hour of a group of shops."""

import logging
from dataclasses import asdict, dataclass
from datetime import datetime

from abtest.kit.ids import uuid7
from abtest.ports.blobs import Blobs
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.warehouse import OutOfTimeError
from abtest.services.audit.hours import HourAudit
from abtest.services.audit.outcome import MAX_REPORTED, Audited
from abtest.services.audit.plans import PlanAudit
from abtest.services.audit.sample import HourPart, ShopPart, part_of
from abtest.services.audit.shop_rows import WHOLE_BYTES, ShopRows
from abtest.services.context import World
from abtest.services.leases import lease
from abtest.services.rollups.work import plans_of

_log = logging.getLogger(__name__)


class AuditFailedError(Exception):
    """Some of the part could not be compared; the message has to come again. The metric reports differences."""


class AuditHeldError(Exception):
    """Another worker compares the part. The message has to come again, because no other one is sent for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWorker:
    """Use case behind the audit worker. It writes nothing, so a message that comes twice is compared twice.

    Of a shop's ledger, raw objects of `whole_bytes` are read as a whole.
    """

    world: World
    ledger: Blobs
    plans: PlanAudit
    hours: HourAudit
    leases: Leases
    metrics: Metrics
    whole_bytes: int = WHOLE_BYTES

    def carry_out(self, body: str, *, until: datetime) -> Audited:
        """Audit the part that a message names. Neither a count nor a reading of an hour's objects begins after `until`.

        Raises AuditFailedError after trying everything, AuditHeldError, and ValueError for another message.
        """
        seed, part = part_of(body)
        owner = uuid7(self.world.clock.now(), self.world.random)
        with lease(self.leases, f"audit#{part.name}", owner=owner, clock=self.world.clock) as held:
            if held is None:
                raise AuditHeldError(part.name)
            outcome = self._hour(part, until) if isinstance(part, HourPart) else self._shop(part, seed, until)
        _log.info("audit.done", extra={"part": part.name, "seed": seed, **asdict(outcome)})
        if outcome.failed:
            raise AuditFailedError(f"not audited: {', '.join(outcome.failed[:MAX_REPORTED])}")
        return outcome

    def _shop(self, part: ShopPart, seed: str, until: datetime) -> Audited:
        work = plans_of(self.world.catalog, part.shop_id, part.records, self.world.now())
        outcome = Audited(failed=list(work.failed))
        plans = work.plans
        if plans:
            since = min(plan.since for plan in plans)
            rows = ShopRows(self.ledger, part.shop_id, since=since, seed=seed, whole_bytes=self.whole_bytes)
        for number, plan in enumerate(plans):
            try:
                self.plans.audit(plan, rows, outcome, until=until)
            except OutOfTimeError:
                # A plan that had all the time is too large. Others are left out: the next nights draw again, and a
                # repetition would begin with the same plans.
                outcome.failed += [] if number else [plan.experiment_id]
                outcome.left = len(plans) - max(1, number)
                _log.warning("audit.out_of_time", extra={"experiment_id": plan.experiment_id, "left": outcome.left})
                break
            except Exception:
                _log.exception("audit.failed", extra={"experiment_id": plan.experiment_id, "shop_id": part.shop_id})
                outcome.failed.append(plan.experiment_id)
        audited = len(outcome.equal) + len(outcome.different)
        self.metrics.put({"RollupDifference": len(outcome.different), "RollupsAudited": audited})
        return outcome

    def _hour(self, part: HourPart, until: datetime) -> Audited:
        outcome = Audited()
        self.hours.audit(part, outcome, is_over=lambda: self.world.clock.now() >= until)
        self.metrics.put({"CompactionDifference": len(outcome.differing)})
        return outcome
