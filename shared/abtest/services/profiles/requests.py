"""Requests about a shop's profile: reading it, starting and cancelling runs, reviewing facts and findings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from abtest.contract import profiles as contract
from abtest.domain.egress.targets import EgressRules, UrlNotAllowedError
from abtest.domain.jobs.model import Job
from abtest.domain.profiles.model import RUNS_A_DAY, FindingStatus, StoreProfile
from abtest.domain.profiles.review import Review, fact_in, finding_in, reviewed, settled
from abtest.domain.profiles.runs import RunInProgressError
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.documents import encode
from abtest.kit.errors import FieldError, NotFoundError
from abtest.ports.catalog import Commit
from abtest.ports.limits import RateDecision
from abtest.services.brand import read_brand
from abtest.services.context import Caller, World
from abtest.services.jobs import Jobs
from abtest.services.jobs import put_of as job_put
from abtest.services.pages.live_hosts import install_hosts
from abtest.services.profiles.records import put_of, read_profile
from abtest.services.rate_limits import RateLimitedError
from abtest.services.retries import Versions, refuse_other_version, retried
from abtest.services.shop_records import read_shop


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreProfiles:
    """Profiles of shops. `jobs` are those of the type store_profile, `rules` those of their requests."""

    world: World
    jobs: Jobs
    rules: EgressRules

    def get(self, caller: Caller) -> contract.StoreProfileResponse:
        """Return the profile of the shop; an empty one before its first run."""
        profile = self._read(caller.shop_id)
        return contract.StoreProfileResponse.of(
            profile,
            shop=read_shop(self.world.catalog, caller.shop_id),
            run=self._latest(profile),
            brand=read_brand(self.world.catalog, caller.shop_id),
        )

    def start(self, caller: Caller, given: contract.StoreProfileRunCreate) -> contract.StoreProfileRun:
        """Queue a run. Raises UrlNotAllowedError, RunInProgressError, RateLimitedError."""
        url = self._start_url(caller.shop_id, given.provided().get("url"))
        run_id, mark = self.world.new_id(), self.world.audit_row_id()

        def attempt() -> Job:
            if self.world.is_stored(caller.shop_id, mark):
                return self.jobs.get(caller.shop_id, run_id)
            profile = self._read(caller.shop_id)
            self._refuse_second(profile)
            self._refuse_too_many(profile)
            job = self.jobs.drafted(caller, run_id, {"url": url})
            after = profile.with_run(run_id, job.created_at)
            self._commit(caller, after, "start_run", ("store_profile_run", run_id), {"url": [None, url]}, mark, job)
            self.jobs.announce(job)
            return job

        return contract.StoreProfileRun.of(retried(attempt))

    def run(self, caller: Caller, run_id: str) -> contract.StoreProfileRun:
        """Return one run. Raises NotFoundError."""
        return contract.StoreProfileRun.of(self.jobs.get(caller.shop_id, run_id))

    def cancel(self, caller: Caller, run_id: str) -> contract.StoreProfileRun:
        """Cancel a run; the profile stays as it was. Raises NotFoundError, JobEndedError."""
        return contract.StoreProfileRun.of(self.jobs.cancel(caller, run_id))

    def review_fact(
        self, caller: Caller, fact_id: str, status: Review, *, expected_version: Versions
    ) -> contract.StoreFact:
        """Confirm or reject a fact. Raises NotFoundError, VersionConflictError."""

        def decide(before: StoreProfile, now: Timestamp) -> tuple[StoreProfile, Mapping[str, Any]]:
            fact = fact_in(before, fact_id)
            after = reviewed(before, fact_id, status, caller.user_id, now)
            return after, {"key": fact.key, "value": fact.value, "status": [fact.status, status]}

        after = self._change(caller, "review_fact", ("store_fact", fact_id), decide, expected_version)
        return contract.StoreFact.model_validate(encode(fact_in(after, fact_id))).at(after.version)

    def settle_finding(
        self, caller: Caller, finding_id: str, status: FindingStatus, *, expected_version: Versions
    ) -> contract.StoreFinding:
        """Resolve, dismiss or open a finding. Raises NotFoundError, VersionConflictError."""

        def decide(before: StoreProfile, now: Timestamp) -> tuple[StoreProfile, Mapping[str, Any]]:
            finding = finding_in(before, finding_id)
            after = settled(before, finding_id, status, caller.user_id, now)
            return after, {"kind": finding.kind, "status": [finding.status, status]}

        after = self._change(caller, "review_finding", ("store_finding", finding_id), decide, expected_version)
        return contract.StoreFinding.model_validate(encode(finding_in(after, finding_id))).at(after.version)

    def _read(self, shop_id: str) -> StoreProfile:
        return read_profile(self.world.catalog, shop_id, self.world.now())

    def _latest(self, profile: StoreProfile) -> Job | None:
        """Return the latest run; None before the first one, and when it was deleted after its time."""
        if profile.run_id is None:
            return None
        try:
            return self.jobs.get(profile.shop_id, profile.run_id)
        except NotFoundError:
            return None

    def _refuse_second(self, profile: StoreProfile) -> None:
        latest = self._latest(profile)
        if latest is not None and not latest.has_ended:
            raise RunInProgressError(
                f"the run {latest.id} is {latest.status}; wait for its end, or cancel it",
                facts={"run_id": latest.id, "run_status": latest.status},
            )

    def _start_url(self, shop_id: str, url: str | None) -> str:
        """Return the address of the home page. Raises UrlNotAllowedError for one that is not the shop's."""
        shop = read_shop(self.world.catalog, shop_id)
        url = url or f"https://{shop.domain}/"
        try:
            target = self.rules.target(url)
            if not target.is_name:
                self.rules.refuse(target, [target.host])
            hosts = install_hosts(self.world.catalog, shop)
            if not (target.is_local or any(target.host == own or target.host.endswith(f".{own}") for own in hosts)):
                raise UrlNotAllowedError(f"{target.host} is not one of the shop's install domains; add it there first")
        except UrlNotAllowedError as error:
            raise UrlNotAllowedError(error.message, fields=[FieldError("url", error.message)]) from error
        return url

    def _refuse_too_many(self, profile: StoreProfile) -> None:
        """Raise RateLimitedError while the last 24 hours have all the runs of a day."""
        now = self.world.now()
        free = profile.next_run(now)
        if free == now:
            return
        wait = ceil((parse_timestamp(free) - parse_timestamp(now)).total_seconds())
        reset = int(parse_timestamp(free).timestamp())
        decision = RateDecision(allowed=False, limit=RUNS_A_DAY, remaining=0, reset_at=reset, retry_after=wait)
        raise RateLimitedError(decision, "profile runs of this shop", per="in 24 hours")

    def _change(
        self,
        caller: Caller,
        verb: str,
        entity: tuple[str, str],
        decide: Callable[[StoreProfile, Timestamp], tuple[StoreProfile, Mapping[str, Any]]],
        expected_version: Versions,
    ) -> StoreProfile:
        mark = self.world.audit_row_id()

        def attempt() -> StoreProfile:
            before = self._read(caller.shop_id)
            if self.world.is_stored(caller.shop_id, mark):
                return before
            after, diff = decide(before, self.world.now())
            refuse_other_version(expected_version, before.version)
            if after is not before:
                self._commit(caller, after, verb, entity, diff, mark)
            return after

        return retried(attempt)

    def _commit(
        self,
        caller: Caller,
        profile: StoreProfile,
        verb: str,
        entity: tuple[str, str],
        diff: Mapping[str, Any],
        mark: str | None,
        job: Job | None = None,
    ) -> None:
        audit = self.world.audit_row(
            user_id=caller.user_id,
            shop_id=profile.shop_id,
            action=f"store_profile.{verb}",
            entity=(*entity, None),
            diff=dict(diff),
            now=profile.updated_at,
            row_id=mark,
        )
        self.world.catalog.commit(Commit(puts=[put_of(profile), *([job_put(job)] if job else [])], audit=[audit]))
