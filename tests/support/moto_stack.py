"""Resources of template.yaml in moto, for tests of handlers. Each test gets them as they were created."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING

import pytest

from abtest.adapters import aws
from abtest.ports.waits import CallerKind
from abtest.wiring.settings import settings
from tests.support.permissions import Guard
from tests.support.template import Stack
from tests.support.waits import never_in_a_hurry, only_one_attempt
from tools.local.provision.clients import Clients
from tools.local.template.intrinsics import ACCOUNT, REGION
from tools.local.testing import free_ports

if TYPE_CHECKING:
    from tests.support.moto_image import MotoImage

ENDPOINT = f"https://sqs.{REGION}.amazonaws.com"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": REGION,
    "AWS_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_XRAY_SDK_ENABLED": "false",
    "POWERTOOLS_TRACE_DISABLED": "true",
}


class AwsStack:
    """The made resources, clients to look at them, and the environment of each function."""

    def __init__(self, stack: Stack, clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stack = stack
        self._monkeypatch = monkeypatch
        self.clients = clients

    def environment(self, function_id: str) -> dict[str, str]:
        """What the function `ApiExperiments`, say, finds in its environment besides credentials and region."""
        return self._stack.environment(function_id)

    def enter(self, function_id: str) -> None:
        """Put the function's environment into this process until the test ends; settings are read anew."""
        for name, value in self.environment(function_id).items():
            self._monkeypatch.setenv(name, value)
        settings.cache_clear()

    def guard(self, function_id: str) -> Guard:
        """What says, of the function's calls to AWS, which its policy does not allow."""
        return Guard(function_id, self._stack.statements(function_id), self._monkeypatch)

    def name(self, logical_id: str) -> str:
        """A table's or bucket's name, a queue's address, a secret's ARN."""
        return self._stack.name(logical_id)


@contextmanager
def moto_stack(monkeypatch: pytest.MonkeyPatch, parameters: dict[str, str] | None = None) -> Iterator[AwsStack]:
    """All of the template in an empty moto, under the template's default parameters or other ones."""
    enter_moto(monkeypatch)
    with mocked() as clients:
        yield AwsStack(created_stack(clients, parameters), clients, monkeypatch)
    settings.cache_clear()  # what was read of this stack names nothing that a later test has


def created_stack(clients: Clients, parameters: dict[str, str] | None = None) -> Stack:
    """Return the template's resources, in an empty moto. A process creates them once and then restores a copy."""
    from tests.support.moto_image import MotoImage

    stack = Stack.planned(endpoint=ENDPOINT, parameters=parameters)
    key = tuple(sorted((parameters or {}).items()))
    if key in _images:
        image, attributes = _images[key]
        image.restore()
        stack.resolver.attributes |= deepcopy(attributes)
    else:
        stack.create(clients)
        _images[key] = MotoImage(), deepcopy(stack.resolver.attributes)
    return stack


def enter_moto(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment in which every AWS client belongs to moto."""
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    keep_clients_of("moto")
    never_in_a_hurry(monkeypatch)
    monkeypatch.setattr(aws, "_caller", CallerKind.OPERATOR)  # composing a function changes it for this process


@contextmanager
def mocked() -> Iterator[Clients]:
    """An empty moto, and clients to fill it."""
    # moto numbers its account when it is imported; the template reader writes ARNs with this one.
    os.environ["MOTO_ACCOUNT_ID"] = ACCOUNT
    from moto import mock_aws
    from moto.kms import models

    with mock_aws(), pytest.MonkeyPatch.context() as monkeypatch:
        # Each key of moto makes a pair for signing, too, which takes longer than all tables and is never used.
        monkeypatch.setattr(models, "generate_private_key", _private_key)
        yield _clients()


@cache
def _private_key(key_spec: str) -> object:
    from moto.kms.utils import generate_private_key

    return generate_private_key(key_spec)


@contextmanager
def silent() -> Iterator[None]:
    """Every service refuses connections, and the product's clients try once, to keep the test short."""
    from moto.core.models import botocore_stubber

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_ports(1)[0]}")
        only_one_attempt(monkeypatch)
        monkeypatch.setattr(botocore_stubber, "enabled", False)
        aws.reset()
        try:
            yield
        finally:
            aws.reset()


def keep_clients_of(engine: str) -> None:
    """Reset the product's clients unless they were made for this engine: making them anew outlasts most tests."""
    if aws.once("engine", object) is not _marks.get(engine):
        aws.reset()
        _marks[engine] = aws.once("engine", object)


_marks: dict[str, object] = {}
_images: dict[tuple[tuple[str, str], ...], tuple[MotoImage, dict[str, dict[str, str]]]] = {}
"""By the parameters of a stack, its resources after their creation and the attributes that it learned then."""


@cache
def _clients() -> Clients:
    return Clients(None)
