"""Brand context of a shop: read, and replaced part by part. Its files are read by jobs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abtest.contract import brand as contract
from abtest.domain.brand import context as domain
from abtest.domain.brand.excerpts import JOBS_AN_HOUR, Excerpt, chosen, waiting_for
from abtest.domain.jobs.model import Job
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Commit, Document
from abtest.ports.limits import RateLimiter
from abtest.services.context import Caller
from abtest.services.jobs import Jobs, put_of
from abtest.services.rate_limits import take_token
from abtest.services.retries import Versions
from abtest.services.scopes import require_scope
from abtest.services.settings.brand_files import names_of_files
from abtest.services.settings.setting import RuntimeSetting
from abtest.services.settings.store import SettingsStore

ASSETS_SCOPE = "assets:read"


class BrandContexts(RuntimeSetting[domain.BrandContext, contract.BrandContext]):
    """The brand context of a shop. Storefronts do not get it, so a change publishes nothing."""

    record_id = domain.RECORD_ID
    verb = "update_brand_context"
    untouched = domain.UNTOUCHED

    def __init__(self, store: SettingsStore, jobs: Jobs, limiter: RateLimiter) -> None:
        super().__init__(store)
        self._jobs = jobs
        self._limiter = limiter

    def response(self, value: domain.BrandContext, revision: Timestamp | None) -> contract.BrandContext:
        del revision  # the contract shows none
        return contract.BrandContext.of(value)

    def audited(self, response: contract.BrandContext) -> contract.BrandContext:
        return response

    def update(
        self, caller: Caller, given: contract.BrandContextInput, expected_version: Versions
    ) -> contract.BrandContext:
        """Put the given parts in place of the stored ones.

        Raises VersionConflictError, ValidationFailedError, FieldScopeRequiredError, RateLimitedError.
        """
        parts = given.provided()
        if parts.get("asset_ids"):
            # The response has the texts of the files.
            require_scope(caller, ASSETS_SCOPE, field="asset_ids")
        if "asset_ids" in parts:
            return self._update_with_files(caller, parts, expected_version)
        return self._update(caller, lambda _: parts, expected_version)

    def _update_with_files(
        self, caller: Caller, parts: Mapping[str, Any], expected_version: Versions
    ) -> contract.BrandContext:
        fields = {name: value for name, value in parts.items() if name != "asset_ids"}
        job_id, is_counted = self._store.world.new_id(), False

        def with_excerpts(before: domain.BrandContext) -> Mapping[str, Any]:
            return {**fields, "excerpts": self._chosen(caller.shop_id, before.excerpts, parts["asset_ids"], job_id)}

        def job_of(context: domain.BrandContext) -> Job | None:
            asset_ids = waiting_for(context.excerpts, job_id)
            return self._jobs.drafted(caller, job_id, {"asset_ids": asset_ids}) if asset_ids else None

        def with_job(after: domain.BrandContext) -> Commit:
            nonlocal is_counted
            job = job_of(after)
            if job and not is_counted:
                self._count(caller.shop_id)
                is_counted = True
            return Commit(puts=[put_of(job)] if job else [])

        response = self._update(caller, with_excerpts, expected_version, with_job)
        # Read again: the change may have been decided several times, and the last decision may need no job.
        if job := job_of(self.value(caller.shop_id)):
            self._jobs.announce(job)
        return response

    def _chosen(
        self, shop_id: str, before: Sequence[Excerpt], asset_ids: Sequence[str], job_id: str
    ) -> tuple[Excerpt, ...]:
        known = {excerpt.asset_id for excerpt in before}
        names = names_of_files(self._store.world.catalog, shop_id, asset_ids, known)
        return chosen(before, asset_ids, names, job_id)

    def _count(self, shop_id: str) -> None:
        take_token(
            self._limiter,
            self._store.world.clock,
            f"brand-files#{shop_id}",
            "changes of this shop's brand files",
            limit=JOBS_AN_HOUR,
            window_seconds=3600,
            per="an hour",
        )

    def _update(
        self,
        caller: Caller,
        parts_of: Callable[[domain.BrandContext], Mapping[str, Any]],
        expected_version: Versions,
        companions: Callable[[domain.BrandContext], Commit] = lambda _: Commit(),
    ) -> contract.BrandContext:
        return self.change(
            caller,
            lambda context: domain.replaced(context, parts_of(context)),
            expected_version=expected_version,
            publishes=False,
            companions=companions,
        )

    def _audited(self, document: Document) -> Document:
        """The response has the texts of the files; their ids are what the caller sent."""
        excerpts = self._value(document).excerpts
        return {**super()._audited(document), "asset_ids": [excerpt.asset_id for excerpt in excerpts]}
