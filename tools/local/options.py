"""Options of one start of the stack, checked before anything is started."""

from __future__ import annotations

import socket
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

from tools.local.surroundings import PORTS, PROJECT, UsageError, default_port, state_directory
from tools.local.web.server import HOST


@dataclass(frozen=True)
class Options:
    """The options of `run`."""

    template: Path
    ports: dict[str, int]
    parameters: dict[str, str]
    fresh: bool
    strict_egress: bool
    schedules: bool
    warm: bool
    seed: bool
    demo_page: bool
    verbose: bool

    @property
    def base_url(self) -> str:
        return f"http://{HOST}:{self.ports['port']}/api/v1"

    @property
    def console_origin(self) -> str:
        return f"http://localhost:{self.ports['port']}"

    @property
    def worker_base_url(self) -> str:
        return f"http://{HOST}:{self.ports['edge']}"

    @property
    def assets_base_url(self) -> str:
        return f"http://{HOST}:{self.ports['assets']}"

    @property
    def store_url(self) -> str:
        return f"http://{HOST}:{self.ports['store']}"

    def supplied_parameters(self) -> dict[str, str]:
        """Values of the stack for the template's parameters; the others keep their defaults."""
        return {
            "Stage": "local",
            "ApiBaseUrl": self.base_url,
            # By its name: passkeys refuse addresses.
            "ConsoleOrigin": self.console_origin,
            "AllowLocalSignIn": "true",
            "MailFrom": f"file:{state_directory() / 'mail'}",
            "WorkerBaseUrl": self.worker_base_url,
            "AssetsBaseUrl": self.assets_base_url,
            # An origin for each preview: browsers resolve every name below `.localhost` themselves.
            "PreviewBaseUrl": f"http://{{session}}.preview.localhost:{self.ports['edge']}",
            "AllowLoopbackEgress": "false" if self.strict_egress else "true",
            "BrowserImageUri": "local",  # the browser of this machine, with the code of the tree
            "BrowserEventsPerMinute": "60000",  # all shoppers of the demo and of tests have one address
            **self.parameters,
        }


def declare(parser: ArgumentParser) -> None:
    """Declare the options of `run`."""
    parser.add_argument("--fresh", action="store_true", help="start empty: forget all state")
    parser.add_argument("--strict-egress", action="store_true", help="refuse outbound requests to loopback")
    for name, port in PORTS.items():
        parser.add_argument(port.option, dest=name, type=int, metavar="N", help=f"port of {port.wanted_by}")
    parser.add_argument("--template", type=Path, default=PROJECT / "template.yaml", metavar="FILE")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE", help="template parameter")
    parser.add_argument("--no-schedules", action="store_true", help="fire schedules only by `tick`")
    parser.add_argument("--no-warm", action="store_true", help="start functions at their first call only")
    parser.add_argument("--no-seed", action="store_true", help="leave tools/local/seed.py out")
    parser.add_argument("--demo-page", action="store_true", help="publish a landing page of the demo shop")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the resources that are not run here")


def read(arguments: Namespace) -> Options:
    """Read parsed arguments; UsageError when a number or a parameter makes no sense."""
    pairs = [argument.partition("=") for argument in arguments.parameter]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise UsageError(f"--parameter wants NAME=VALUE, not {wrong[0]}")
    given = {name: getattr(arguments, name) for name in PORTS}
    if outside := [port for port in given.values() if port is not None and not 0 < port < 65536]:
        raise UsageError(f"{outside[0]} is no port number")
    return Options(
        template=arguments.template,
        ports={name: default_port(name) if port is None else port for name, port in given.items()},
        parameters={name: value for name, _, value in pairs},
        fresh=arguments.fresh,
        strict_egress=arguments.strict_egress,
        schedules=not arguments.no_schedules,
        warm=not arguments.no_warm,
        seed=not arguments.no_seed,
        demo_page=arguments.demo_page and not arguments.no_seed,
        verbose=arguments.verbose,
    )


def check_ports(ports: dict[str, int]) -> None:
    """Refuse a taken port in one line that names it, what wants it and how to move that."""
    for name, number in ports.items():
        if twice := [other for other in ports if ports[other] == number and other != name]:
            raise UsageError(f"port {number} is given to both {PORTS[name].wanted_by} and {PORTS[twice[0]].wanted_by}")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, number))
            except OSError as problem:
                port = PORTS[name]
                wanted = f"port {number}, wanted by {port.wanted_by}"
                raise UsageError(f"{wanted}, cannot be used ({problem}); choose another with {port.option} N") from None
