"""Requests for exports: creation, reading, cancellation."""

from dataclasses import dataclass, replace
from datetime import timedelta

from abtest.contract import exports as contract
from abtest.domain.exports.order import (
    FILE_KEPT,
    LINK_SECONDS,
    ExportOrder,
    export_key,
    file_name,
    order_document,
    order_from,
)
from abtest.domain.jobs.model import Job, JobStatus
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError
from abtest.ports.exports import ExportStore
from abtest.services.context import Caller, World
from abtest.services.jobs import Jobs
from abtest.services.listing import Filters
from abtest.services.names import id_of_experiment
from abtest.services.scopes import require_scope

AUDIT_SCOPE = "audit:read"


@dataclass(frozen=True, slots=True)
class Exports:
    """Exports of the caller's shop. `jobs` are those of the type export."""

    world: World
    jobs: Jobs
    store: ExportStore

    def create(self, caller: Caller, given: contract.ExportInput) -> contract.Export:
        """Create a queued export. Raises ValidationFailedError."""
        if given.dataset == "audit":
            require_scope(caller, AUDIT_SCOPE, field="the dataset audit")
        order = ExportOrder(
            dataset=given.dataset,
            format=given.format,
            since=given.from_,
            until=given.to,
            experiment_id=given.experiment_id,
        )
        order.check()
        if order.experiment_id is not None:
            order = replace(order, experiment_id=self._experiment_id(caller.shop_id, order.experiment_id))
        return self._shown(self.jobs.create(caller, order_document(order)))

    def get(self, caller: Caller, export_id: str) -> contract.Export:
        """One export. Raises NotFoundError."""
        job = self.jobs.get(caller.shop_id, export_id)
        # A link opens the file for everybody, so it needs the scope of what is in it.
        if not _is_open_to(caller, job):
            raise NotFoundError("no such export")
        return self._shown(job)

    def page(
        self, caller: Caller, filters: Filters, status: JobStatus | None, *, limit: int, after: str | None
    ) -> tuple[list[contract.Export], str | None]:
        """Exports that pass the filters, and the key that continues the list."""
        jobs, last = self.jobs.page(caller.shop_id, filters, status, limit=limit, after=after)
        return [self._shown(job) for job in jobs if _is_open_to(caller, job)], last

    def cancel(self, caller: Caller, export_id: str) -> contract.Export:
        """Cancel the export. Raises NotFoundError, JobEndedError."""
        self.get(caller, export_id)
        return self._shown(self.jobs.cancel(caller, export_id))

    def _experiment_id(self, shop_id: str, reference: str) -> str:
        """Return the id of an experiment by id or public id. Raises ValidationFailedError for an unknown one."""
        catalog = self.world.catalog
        record = catalog.get(shop_id, "EXP", id_of_experiment(catalog, shop_id, reference) or reference)
        if record is None:
            message = "the shop has no such experiment"
            raise ValidationFailedError(message, fields=[FieldError("experiment_id", message)])
        return record.head.id

    def _shown(self, job: Job) -> contract.Export:
        order = order_from(job.request)
        url, expires = self._link(job, order)
        return contract.Export(
            id=job.id,
            status=job.status,
            progress=job.progress,
            rows=job.result.get("rows"),
            url=url,
            url_expires_at=expires,
            dataset=order.dataset,
            format=order.format,
            from_=order.since,
            to=order.until,
            experiment_id=order.experiment_id,
            created_at=job.created_at,
            completed_at=job.completed_at,
            error=job.error,
        ).at(job.version)

    def _link(self, job: Job, order: ExportOrder) -> tuple[str | None, Timestamp | None]:
        """Sign an address of a file that is complete and still stored; return it with its expiry."""
        now = self.world.clock.now()
        if job.status != "completed" or job.completed_at is None:
            return None, None
        # A link must not outlive its file, or it would fail in the customer's hands.
        if now + timedelta(seconds=LINK_SECONDS) > parse_timestamp(job.completed_at) + FILE_KEPT:
            return None, None
        url = self.store.link(export_key(job.shop_id, job.id, order), file_name=file_name(order), seconds=LINK_SECONDS)
        return url, timestamp(now + timedelta(seconds=LINK_SECONDS))


def _is_open_to(caller: Caller, job: Job) -> bool:
    """Return whether a key may see an export: one of the audit has changes, which need a scope of their own."""
    return order_from(job.request).dataset != "audit" or AUDIT_SCOPE in caller.scopes
