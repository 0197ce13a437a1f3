"""One running stack for all stories."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.story import Story
from tools.local.testing import running_stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The dev.json of a stack of its own, on free ports, stopped at the end."""
    directory: Path = tmp_path_factory.mktemp("stack")
    with running_stack(directory) as dev:
        yield {**dev, "directory": directory}


@pytest.fixture(scope="session")
def quiet_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The same without schedules, which fire at a `tick` only. Tests use shops of their own."""
    directory: Path = tmp_path_factory.mktemp("quiet")
    with running_stack(directory, ["--no-schedules"]) as dev:
        yield {**dev, "directory": directory}


@pytest.fixture
def story(stack: dict[str, Any]) -> Story:
    """The management API of the running stack, spoken plainly."""
    return Story(stack)
