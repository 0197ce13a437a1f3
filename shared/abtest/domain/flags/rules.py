"""Rules that span the fields of a flag: what must hold whenever it is stored."""

from abtest.domain.flags.model import Flag
from abtest.domain.targeting.checks import check_targeting
from abtest.kit.errors import refused
from abtest.kit.time_zones import is_time_zone


def check(flag: Flag) -> None:
    """Raises errors of status 422 that name the field."""
    check_targeting(flag.targeting)
    _check_schedule(flag)


def _check_schedule(flag: Flag) -> None:
    schedule = flag.weekday_schedule
    if schedule is None:
        return
    if flag.delivery_type == "api":
        raise refused("weekday_schedule", "flags with delivery_type api have none")
    if not is_time_zone(schedule["timezone"]):
        raise refused("weekday_schedule.timezone", "is no IANA time zone")
