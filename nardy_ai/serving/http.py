"""The HTTP application: ranked plays and evaluations as JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from nardy_ai import __version__, core
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Position
from nardy_ai.serving import forms, wildbg
from nardy_ai.serving.desk import Desk, Stop
from nardy_ai.serving.faults import add_faults
from nardy_ai.serving.guard import Guard
from nardy_ai.serving.limits import Limits
from nardy_ai.serving.metrics import CONTENT_TYPE, Metrics
from nardy_ai.serving.openapi_page import page
from nardy_ai.serving.served import Served

T = TypeVar("T")
Endpoint = Callable[..., Awaitable[Response]]

DESCRIPTION = """\
Plays and evaluations of long nardy and short nardy by trained nets. Probabilities are of exclusive outcomes;
an evaluation speaks for the player on roll before the throw, a play's for the one who makes it. Whatever is
refused is told in one sentence, `{"message": …}`."""

_ANSWERED_BY = {
    400: "The query or the body can't be read.",
    408: "The request did not arrive in time.",
    413: "The body is too large.",
    422: "What is asked can't be.",
    429: "Too many requests a second.",
    503: "Too much work at once.",
}
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True)
class Options:
    """How an application answers."""

    plies: int = 0
    """Look-ahead where a request names none."""
    threads: int = 1
    """Threads that judge."""
    origins: Sequence[str] = ()
    """Web pages that may ask from a browser; `*` for all of them."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not 0 <= self.plies <= self.limits.plies:
            raise InputError(f"plies cannot be {self.plies}: requests have at most {self.limits.plies}")
        if not 1 <= self.threads <= 1024:
            raise InputError(f"threads cannot be {self.threads}: give a number from 1 to 1024")


@dataclass(frozen=True)
class Application:
    """An application with what has to be closed after it."""

    app: ASGIApp
    api: FastAPI
    """The part within the limits, with the OpenAPI description."""
    desk: Desk


def application(served: Served, options: Options) -> Application:
    """The application of these models, an ASGI callable."""
    limits, metrics = options.limits, Metrics()
    desk = Desk(options.threads, limits.waiting, limits.seconds)
    api = _bare_api()
    routes = _Routes(served, options, desk, metrics)
    routes.add_to(api)
    add_faults(api)
    _complete_examples(api, served.bots[0].game.name)
    paths = [path for route in api.routes if isinstance(path := getattr(route, "path", None), str)]
    inner: ASGIApp = api
    if options.origins:
        inner = CORSMiddleware(
            api, allow_origins=list(options.origins), allow_methods=["GET", "POST"], allow_headers=["*"]
        )
    return Application(Guard(inner, limits, metrics, paths), api, desk)


def _bare_api() -> FastAPI:
    return FastAPI(
        title="nardy",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )


def _complete_examples(api: FastAPI, profile: str) -> None:
    """Examples name a profile that is served here, so that they can be sent as they are."""
    schemas = api.openapi()["components"]["schemas"]
    for form in (forms.Rank, forms.Evaluate):
        for example in schemas[form.__name__]["examples"]:
            example["profile"] = profile


class _Routes:
    """What can be asked."""

    def __init__(self, served: Served, options: Options, desk: Desk, metrics: Metrics) -> None:
        self._served = served
        self._options = options
        self._desk = desk
        self._metrics = metrics

    def add_to(self, api: FastAPI) -> None:
        """Registers every path."""
        posted: tuple[tuple[str, Endpoint, type[BaseModel]], ...] = (
            ("/rank", self.rank, forms.RankAnswer),
            ("/evaluate", self.evaluate, forms.EvaluateAnswer),
            ("/rank/batch", self.rank_batch, forms.RankBatchAnswer),
            ("/evaluate/batch", self.evaluate_batch, forms.EvaluateBatchAnswer),
        )
        for path, endpoint, answer in posted:
            api.add_api_route(
                path, endpoint, methods=["POST"], response_model=answer, responses=_faults(*_ANSWERED_BY)
            )
        queried: tuple[tuple[str, Endpoint, type[BaseModel]], ...] = (
            ("/move", self.move, forms.MoveAnswer),
            ("/eval", self.eval, forms.EvalAnswer),
        )
        for path, endpoint, answer in queried:
            api.add_api_route(
                path,
                endpoint,
                methods=["GET"],
                response_model=answer,
                responses=_faults(400, 408, 413, 429, 503),
                openapi_extra={"parameters": wildbg.parameters(with_dice=path == "/move")},
            )
        told: tuple[tuple[str, Endpoint, type[BaseModel]], ...] = (
            ("/profiles", self.profiles, forms.ProfilesAnswer),
            ("/health", self.health, forms.HealthAnswer),
        )
        for path, endpoint, answer in told:
            api.add_api_route(
                path, endpoint, methods=["GET"], response_model=answer, responses=_faults(408, 413, 429)
            )
        api.add_api_route(
            "/metrics",
            self.metrics,
            methods=["GET"],
            response_class=Response,
            responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **_faults(429)},
        )
        api.add_api_route("/", page(api), methods=["GET"], include_in_schema=False)
        api.add_api_route("/docs", page(api), methods=["GET"], include_in_schema=False)

    async def rank(self, asked: forms.Rank) -> Response:
        """Every play of a roll, or the best ones, with what they are worth."""
        return await self._judged(lambda _: self._rank(asked))

    async def evaluate(self, asked: forms.Evaluate) -> Response:
        """What a position is worth to the player on roll, before the throw."""
        return await self._judged(lambda _: self._evaluate(asked))

    async def rank_batch(self, asked: forms.RankBatch) -> Response:
        """Many positions with their rolls at once. One that can't be answered refuses all."""
        return await self._judged(lambda stop: self._batch(asked.requests, self._rank, stop))

    async def evaluate_batch(self, asked: forms.EvaluateBatch) -> Response:
        """Many positions at once. One that can't be answered refuses all."""
        return await self._judged(lambda stop: self._batch(asked.requests, self._evaluate, stop))

    async def move(self, request: Request) -> Response:
        """Legal plays of short nardy, best first, in the form of wildbg."""
        pairs = request.query_params.multi_items()
        return await self._judged(lambda _: self._wildbg(pairs, wildbg.move_answer, with_dice=True))

    async def eval(self, request: Request) -> Response:
        """Probabilities and cube decisions of short nardy, in the form of wildbg."""
        pairs = request.query_params.multi_items()
        return await self._judged(lambda _: self._wildbg(pairs, wildbg.eval_answer, with_dice=False))

    async def profiles(self) -> Response:
        """The rules that are played here."""
        return _json({"profiles": [self._profile(game) for game in self._served.games]})

    async def health(self) -> Response:
        """Whether the server answers."""
        models = {bot.game.family: self._served.title_of(bot.game) for bot in self._served.bots}
        return _json({"status": "ok", "version": __version__, "models": models})

    async def metrics(self) -> Response:
        """Counts and times in the text form of Prometheus."""
        return Response(self._metrics.text(), headers={"content-type": CONTENT_TYPE})

    async def _judged(self, work: Callable[[Stop], dict[str, Any]]) -> Response:
        # The answer is written as JSON in the thread too: a long one keeps nobody waiting.
        return Response(
            await self._desk.run(lambda stop: _ENCODER.encode(work(stop))), media_type="application/json"
        )

    def _rank(self, asked: forms.Rank) -> dict[str, Any]:
        pos = self._position(asked)
        dice = asked.dice[0], asked.dice[1]
        level = self._level(pos.game, asked)
        ranked, count = self._served.rank(
            pos, dice, level.plies, asked.most, noise=level.noise, key=asked.key
        )
        self._metrics.judged(pos.game.name)
        return {
            "profile": pos.game.name,
            "position": pos.key,
            "dice": asked.dice,
            "level": asked.level,
            "legal_plays": count,
            "plays": [
                {
                    "notation": found.notation,
                    "moves": found.play.moves,
                    "position": found.play.position.key,
                    "equity": found.equity,
                    "outcomes": found.outcomes,
                    "plies": found.plies,
                }
                for found in ranked
            ],
        }

    def _evaluate(self, asked: forms.Evaluate) -> dict[str, Any]:
        pos, plies = self._position(asked), self._plies(asked)
        found = self._served.evaluate(pos, plies)
        self._metrics.judged(pos.game.name)
        return {
            "profile": pos.game.name,
            "position": pos.key,
            "plies": plies,
            "equity": found.equity,
            "outcomes": found.outcomes,
        }

    def _batch(
        self, requests: Sequence[T], answer: Callable[[T], dict[str, Any]], stop: Stop
    ) -> dict[str, Any]:
        most = self._options.limits.batch
        if len(requests) > most:
            raise InputError(f"there are {len(requests)} requests: send at most {most} at once")
        answers = []
        for number, asked in enumerate(requests):
            stop.check()
            try:
                answers.append(answer(asked))
            except InputError as fault:
                raise InputError(f"requests[{number}]: {fault}") from None
        return {"answers": answers}

    def _wildbg(
        self,
        pairs: list[tuple[str, str]],
        answer: Callable[[Served, wildbg.Query, int], dict[str, Any]],
        *,
        with_dice: bool,
    ) -> dict[str, Any]:
        query = wildbg.read_query(pairs, with_dice=with_dice)
        self._served.game(query.position.game.name)
        self._metrics.judged(query.position.game.name)
        return answer(self._served, query, self._options.plies)

    def _position(self, asked: forms.Evaluate) -> Position:
        game = self._served.game(asked.profile)
        if (asked.position is None) == (asked.board is None):
            raise InputError("give one of position and board")
        if asked.position == "start":
            if asked.seat is not None or asked.turns is not None:
                raise InputError("the start has seat 0 and turns 0: leave both out")
            return game.start()
        where = asked.position if asked.position is not None else asked.board
        assert where is not None
        return game.position(where, seat=asked.seat, turns=asked.turns)

    def _plies(self, asked: forms.Evaluate) -> int:
        plies, most = asked.plies, self._options.limits.plies
        if plies is not None and plies > most:
            raise InputError(f"this server looks at most {most} plies ahead, not {plies}")
        return self._options.plies if plies is None else plies

    def _level(self, game: Game, asked: forms.Rank) -> core.Level:
        """What a request is answered by: its level, or its plies without noise."""
        if asked.level is None:
            if asked.key is not None:
                raise InputError("key is that of the noise of a level: give level too, or leave it out")
            return core.Level(0.0, self._plies(asked))
        if asked.plies is not None:
            raise InputError("a level has its own look-ahead: give level or plies, not both")
        level, most = self._served.level(game, asked.level), self._options.limits.plies
        if level.plies > most:
            raise InputError(
                f"level {asked.level} looks {level.plies} plies ahead, and this server at most {most}"
            )
        return level

    def _profile(self, game: Game) -> dict[str, Any]:
        return {
            "profile": game.name,
            "title": game.profile.title,
            "game": game.family,
            "model": self._served.title_of(game),
            "outcomes": game.outcomes,
            "points": game.points,
            "needs_seat": game.uses_seat,
            "needs_turns": game.uses_turns,
        }


def _json(answer: dict[str, Any]) -> Response:
    return Response(_ENCODER.encode(answer), media_type="application/json")


def _faults(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": forms.Fault, "description": _ANSWERED_BY[status]} for status in statuses}
