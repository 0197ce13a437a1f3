"""Records of what belongs to a landing page: its versions, their later reports, its QA runs."""

from collections.abc import Mapping, Sequence

from abtest.domain.pages.qa import QaRun
from abtest.domain.pages.reports import PageReport
from abtest.domain.pages.versions import PageVersion
from abtest.kit.documents import decode, encode
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, Head, Put, Record


def put_version(version: PageVersion) -> Put:
    """Return the write of a new version."""
    head = Head(
        shop_id=version.shop_id,
        kind="LPV",
        id=version.id,
        parent_id=version.landing_page_id,
        version=version.version,
        created_at=version.created_at,
        updated_at=version.created_at,
        attributes={"version_number": version.version_number},
    )
    return Put(record=Record(head=head, body=encode(version, omit=("version",))), expected_version=0)


def version_in(record: Record) -> PageVersion:
    """Return the version of a record, as it was created."""
    return decode(PageVersion, record.body, version=record.head.version)


def read_version(catalog: Catalog, shop_id: str, page_id: str, version_id: str) -> PageVersion:
    """Return a version as it was created. Raises NotFoundError."""
    record = catalog.get(shop_id, "LPV", version_id, parent_id=page_id)
    if record is None:
        raise NotFoundError("there is no such version")
    return version_in(record)


def put_run(run: QaRun) -> Put:
    """Return the write of a QA run over the version before its own."""
    head = Head(
        shop_id=run.shop_id,
        kind="LPQ",
        id=run.id,
        parent_id=run.landing_page_id,
        version=run.version,
        created_at=run.created_at,
        updated_at=run.updated_at,
        status=run.status,
        attributes={"version_id": run.version_id},
    )
    return Put(record=Record(head=head, body=encode(run, omit=("version",))), expected_version=run.version - 1)


def run_in(record: Record) -> QaRun:
    """Return the QA run of a record."""
    return decode(QaRun, record.body, version=record.head.version)


def read_run(catalog: Catalog, shop_id: str, page_id: str, run_id: str) -> QaRun:
    """Return a QA run. Raises NotFoundError."""
    record = catalog.get(shop_id, "LPQ", run_id, parent_id=page_id)
    if record is None:
        raise NotFoundError("there is no such QA run")
    return run_in(record)


def put_report(report: PageReport) -> Put:
    """Return the write of a report over the version before its own."""
    head = Head(
        shop_id=report.shop_id,
        kind="LPR",
        id=report.id,
        parent_id=report.landing_page_id,
        version=report.version,
        created_at=report.created_at,
        updated_at=report.updated_at,
    )
    return Put(record=Record(head=head, body=encode(report, omit=("version",))), expected_version=report.version - 1)


def read_reports(catalog: Catalog, shop_id: str, page_id: str, version_ids: Sequence[str]) -> Mapping[str, PageReport]:
    """Return the reports of these versions that were checked again, by version id."""
    records = catalog.get_many(shop_id, "LPR", version_ids, parent_id=page_id)
    return {record.head.id: decode(PageReport, record.body, version=record.head.version) for record in records}
