"""Messages of a queue with several types of jobs reach the use case of their type."""

from collections.abc import Callable

import pytest

from abtest.domain.jobs.model import Job, JobType
from abtest.kit import canonical_json
from abtest.ports.catalog import Commit
from abtest.services.jobs import job_message, put_of
from abtest.services.jobs.dispatch import UnknownJobTypeError, by_type
from tests.support.memory import MemoryCatalog

NOW = "2026-05-01T10:00:00.000Z"
JOB = Job(
    id="018f0000-0000-7000-8000-000000000001",
    shop_id="018f0000-0000-7000-8000-000000000002",
    type="export",
    created_by="u",
    created_at=NOW,
    updated_at=NOW,
)


def carried_out(types: tuple[JobType, ...], *, is_stored: bool = True) -> tuple[Callable[[str], None], list[str]]:
    catalog, done = MemoryCatalog(), list[str]()
    if is_stored:
        catalog.commit(Commit(puts=[put_of(JOB)]))

    def use_case(type_: JobType) -> Callable[[str], None]:
        return lambda message: done.append(f"{type_} {message}")

    return by_type(catalog, {type_: use_case(type_) for type_ in types}), done


def test_message__reaches_the_use_case_of_its_job() -> None:
    carry_out, done = carried_out(("page_check", "export"))
    carry_out(job_message(JOB))
    assert done == [f"export {job_message(JOB)}"]


def test_message__of_a_type_without_a_use_case__has_to_come_again() -> None:
    carry_out, done = carried_out(("page_check",))
    with pytest.raises(UnknownJobTypeError, match="export"):
        carry_out(job_message(JOB))
    assert not done


def test_message__whose_job_is_gone__has_nothing_left_to_do() -> None:
    carry_out, done = carried_out(("export",), is_stored=False)
    carry_out(canonical_json.dumps({"shop_id": JOB.shop_id, "job_id": JOB.id}))
    assert not done
