"""Operator commands: `python -m tools.admin [--stack-name NAME | --local] shops|keys|users|…`; answers JSON."""

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from abtest.contract.shops import CreateShop
from abtest.domain.credentials.api_keys import PRESETS
from abtest.domain.credentials.lifecycle import DEFAULT_GRACE_SECONDS
from abtest.http.journal import journal
from abtest.kit.errors import ServiceError
from abtest.wiring.api import Management
from abtest.wiring.settings import MissingSettingError
from tools.admin import dead_letters, team
from tools.admin.actions import Operator
from tools.admin.deployment import enter_local_stack, ledger_of, settings_of

TIERS = ("self_managed", "service_managed", "legacy_managed")
SHOP_FIELDS: dict[str, tuple[str, dict[str, Any]]] = {
    "set-tier": ("tier", {"choices": TIERS}),
    "set-platform": ("platform", {}),
    "set-owner": ("org_id", {}),
    "set-operator": ("operator_enabled", {"choices": ("on", "off")}),
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    root = argparse.ArgumentParser(prog="python -m tools.admin", description=__doc__, parents=[_where()])
    root.set_defaults(stack_name=None, local=False)
    rooms = root.add_subparsers(dest="room", required=True)
    _shops(rooms.add_parser("shops", help="shops").add_subparsers(dest="verb", required=True))
    _keys(rooms.add_parser("keys", help="keys").add_subparsers(dest="verb", required=True))
    users = rooms.add_parser("users", help="people who sign in to the console")
    users.add_argument("verb", choices=("show", "disable", "enable"))
    users.add_argument("user_id")
    secret = rooms.add_parser("ingest-secret", help="the secret with which a shop's server signs events")
    secret.add_argument("shop_id")
    secret.add_argument("--rotate", action="store_true", help="replace it; prints the new one")
    secret.add_argument(
        "--grace-seconds",
        type=int,
        default=DEFAULT_GRACE_SECONDS,
        help="seconds for which the former one is valid as well; 0 revokes it",
    )
    _ledger(
        rooms.add_parser("ledger", help="events on their way, and what was counted of them").add_subparsers(
            dest="verb", required=True
        )
    )
    team.add_audit(rooms.add_parser("audit", help="evidence of the audit").add_subparsers(dest="verb", required=True))
    team.add_inbox(rooms.add_parser("inbox", help="messages to shops").add_subparsers(dest="verb", required=True))
    return root


def _where() -> argparse.ArgumentParser:
    """Options that select the deployment; `make replay` and `make recompute` pass them after the command."""
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    one = options.add_mutually_exclusive_group()
    one.add_argument("--stack-name", help="CloudFormation stack; without it, the environment names the tables")
    one.add_argument("--local", action="store_true", help="the local stack that runs")
    return options


def _ledger(verbs: Any) -> None:
    recount = verbs.add_parser(
        "recompute", help="recount every roll-up from the raw ledger; write only what differs", parents=[_where()]
    )
    recount.add_argument("--shop", help="of one shop only")
    recount.add_argument("--experiment", help="of one experiment only, without the days of shops")
    recount.add_argument("--dry-run", action="store_true", help="report what differs and write nothing")
    verbs.add_parser("replay", help="send dead letters of the event queue back to it", parents=[_where()])


def _shops(verbs: Any) -> None:
    create = verbs.add_parser("create", help="a shop with its admin key")
    for name in ("--name", "--domain", "--currency"):
        create.add_argument(name, required=True)
    create.add_argument("--platform")
    create.add_argument("--tier", choices=TIERS)
    create.add_argument("--user-id", help="the owner; a new user without it")
    create.add_argument("--with", dest="extra", action="append", choices=("user", "tracking"), default=[])
    verbs.add_parser("show", help="a shop as stored").add_argument("shop_id")
    signing = verbs.add_parser("set-handover-signing", help="whether handovers to external domains are signed")
    signing.add_argument("shop_id")
    signing.add_argument("value", choices=("on", "off"))
    for verb, (field, options) in SHOP_FIELDS.items():
        change = verbs.add_parser(verb, help=f"change {field}")
        change.add_argument("shop_id")
        change.add_argument("value", **options)


def _keys(verbs: Any) -> None:
    user = verbs.add_parser("create-user", help="a user's key")
    user.add_argument("--name", default="User key")
    user.add_argument("--user-id", help="the user; a new one without it")
    shop = verbs.add_parser("create", help="a shop's key")
    shop.add_argument("shop_id")
    shop.add_argument("--name", default="Operator's key")
    shop.add_argument("--preset", choices=sorted(PRESETS), default="admin")
    verbs.add_parser("revoke", help="end a key").add_argument("prefix")
    limit = verbs.add_parser("set-rate-limit", help="requests a minute; 0 for the usual")
    limit.add_argument("prefix")
    limit.add_argument("per_minute", type=int)


def run(operator: Operator, line: argparse.Namespace) -> dict[str, Any]:
    """Run one command about shops, keys, users or the ingest secret."""
    if line.room == "ingest-secret":
        if line.rotate:
            return operator.rotate_ingest_secret(line.shop_id, line.grace_seconds)
        return operator.ingest_secret(line.shop_id)
    if line.room == "users":
        return operator.user(line.user_id, line.verb)
    if line.room == "shops":
        return _run_shops(operator, line)
    if line.verb == "create-user":
        return operator.create_user_key(line.name, user_id=line.user_id)
    if line.verb == "create":
        return operator.create_shop_key(line.shop_id, line.name, line.preset)
    if line.verb == "revoke":
        return operator.revoke_key(line.prefix)
    return operator.set_rate_limit(line.prefix, line.per_minute)


def _run_shops(operator: Operator, line: argparse.Namespace) -> dict[str, Any]:
    if line.verb == "create":
        named = {name: getattr(line, name) for name in ("name", "domain", "currency", "platform")}
        model = CreateShop.model_validate({name: value for name, value in named.items() if value is not None})
        tier = {"tier": line.tier} if line.tier else {}  # not in the model: only operators choose it
        return operator.create_shop(model.provided() | tier, user_id=line.user_id, extra_keys=line.extra)
    if line.verb == "show":
        return operator.show_shop(line.shop_id)
    if line.verb == "set-handover-signing":
        return operator.set_handover_signing(line.shop_id, signed=line.value == "on")
    field, _ = SHOP_FIELDS[line.verb]
    value = line.value == "on" if field == "operator_enabled" else line.value
    return operator.change_shop(line.shop_id, {field: value})


@contextmanager
def logs_apart() -> Iterator[None]:
    """Standard output belongs to the answer: meanwhile logs go to standard error."""
    handlers = [each for each in logging.getLogger(journal.name).handlers if isinstance(each, logging.StreamHandler)]
    streams = [each.setStream(sys.stderr) or sys.stderr for each in handlers]
    try:
        yield
    finally:
        for each, stream in zip(handlers, streams, strict=True):
            each.setStream(stream)


def _result(line: argparse.Namespace) -> dict[str, Any]:
    if line.local:
        enter_local_stack()
    if line.room == "ledger" and line.verb == "recompute":
        from tools.admin.recompute import recompute  # brings DuckDB with it, which the other commands do without

        settings = ledger_of(line.stack_name)
        return recompute(settings, shop_id=line.shop, experiment_id=line.experiment, dry_run=line.dry_run)
    if line.room == "ledger":
        return dead_letters.replay(line.stack_name, _say)
    management = Management(settings_of(line.stack_name))
    if line.room == "audit":
        return team.run_audit(management, line)
    if line.room == "inbox":
        return team.run_inbox(management, line)
    return run(Operator(management), line)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 1 and a sentence on standard error when it is refused."""
    line = parser().parse_args(arguments)
    try:
        with logs_apart():
            result = _result(line)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    except MissingSettingError as error:
        print(f"{error}; name a deployed stack with --stack-name, or pass --local", file=sys.stderr)
        return 1
    except (ServiceError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2))
    return 1 if result.get("problems") else 0


if __name__ == "__main__":
    raise SystemExit(main())
