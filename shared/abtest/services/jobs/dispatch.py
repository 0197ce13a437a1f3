"""Messages of a queue that carries jobs of several types, each to the use case of its type."""

import logging
from collections.abc import Callable, Mapping

from abtest.domain.jobs.model import JobType
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog
from abtest.services.jobs.records import read_job

_log = logging.getLogger(__name__)


class UnknownJobTypeError(Exception):
    """Job of a type that this queue has no use case for: the deployment is older than the job, or mixed up."""


def by_type(catalog: Catalog, use_cases: Mapping[JobType, Callable[[str], object]]) -> Callable[[str], None]:
    """Return a function that passes a message (`job_message`) to the use case of its job's type.

    A message whose job is gone has nothing left to do. Raises UnknownJobTypeError, and what the use case raises.
    """

    def carry_out(message: str) -> None:
        named = canonical_json.loads(message)
        try:
            job = read_job(catalog, named["shop_id"], named["job_id"])
        except NotFoundError:
            _log.info("job.gone", extra={"job_id": named["job_id"]})
            return
        use_case = use_cases.get(job.type)
        if use_case is None:
            raise UnknownJobTypeError(job.type)
        use_case(message)

    return carry_out
