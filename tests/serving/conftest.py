"""Models, and applications over them that are asked in process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving.asking import NewClient
from starlette.testclient import TestClient
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import NetBot
from nardy_ai.serving.http import Application, Options, application
from nardy_ai.serving.served import Served


@pytest.fixture(scope="session")
def short_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_model("short/standard", tmp_path_factory.mktemp("served") / "short.safetensors")


@pytest.fixture(scope="session")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_model("long/fns", tmp_path_factory.mktemp("served") / "long.safetensors")


@pytest.fixture(scope="session")
def short_bot(short_file: Path) -> NetBot:
    return nardy.load(short_file)


@pytest.fixture(scope="session")
def long_bot(long_file: Path) -> NetBot:
    return nardy.load(long_file)


@pytest.fixture(scope="session")
def served(short_bot: NetBot, long_bot: NetBot) -> Served:
    return Served([short_bot, long_bot])


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[TestClient]:
    """A server with both models and its usual limits."""
    built = application(served, Options())
    # One event loop for all of its requests.
    with TestClient(built.app) as asking:
        yield asking
    built.desk.close()


@pytest.fixture
def new_client(served: Served) -> Iterator[NewClient]:
    """Makes a server with other options, or other models."""
    made: list[Application] = []

    def new(options: Options | None = None, models: Served = served) -> TestClient:
        made.append(application(models, options or Options()))
        return TestClient(made[-1].app)

    yield new
    for built in made:
        built.desk.close()
