"""Rules that span the fields of a flag: what must hold whenever it is stored."""

from abtest.domain.flags.model import Flag
from abtest.domain.targeting.checks import check_targeting
from abtest.kit.errors import refused
from abtest.kit.time_zones import is_time_zone


def check(flag: Flag) -> None:
    """Raise an error of status 422 that names the field."""
    check_targeting(flag.targeting)
    schedule = flag.weekday_schedule
    if schedule is None:
        return
    if flag.delivery_type == "api":
        raise refused("weekday_schedule", "flags with delivery_type api cannot have a schedule; remove it")
    if not is_time_zone(schedule["timezone"]):
        raise refused("weekday_schedule.timezone", "must be an IANA time zone, such as Europe/Berlin")
