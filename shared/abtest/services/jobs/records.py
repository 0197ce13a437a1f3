"""Records of jobs in the catalog."""

from abtest.domain.jobs.model import WORK_QUEUE, Job, document_of, job_from
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, Head, Put, Record


def read_job(catalog: Catalog, shop_id: str, job_id: str) -> Job:
    """Read one of the shop's jobs. Raises NotFoundError."""
    record = catalog.get(shop_id, "JOB", job_id)
    if record is None:
        raise NotFoundError("no such job")
    return job_in(record)


def job_in(record: Record) -> Job:
    """Return the job of a record."""
    return job_from(record.body, record.head.version)


def head_of(job: Job) -> Head:
    """Build the head, which lists and the work queue read."""
    return Head(
        shop_id=job.shop_id,
        kind="JOB",
        id=job.id,
        version=job.version,
        created_at=job.created_at,
        updated_at=job.updated_at,
        status=job.status,
        attributes={"type": job.type},
        due={WORK_QUEUE: job.due},
    )


def put_of(job: Job) -> Put:
    """Build the write of a job that was read at the version before."""
    return Put(record=Record(head=head_of(job), body=document_of(job)), expected_version=job.version - 1)
