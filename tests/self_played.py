"""Matches that a model plays against itself, with plays put in on purpose that lose a known amount."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from command_line import REPOSITORY

from nardy_ai.bots import NetBot, load
from nardy_ai.evaluation.analysis import Analysis, analyse
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game, History, MatchState, MatFile, MatGames, Terms, games_of_text, mat_text
from nardy_ai.rules.match import Step, steps
from nardy_ai.rules.play import play_of


@dataclass(frozen=True)
class Planted:
    """A play that was put in."""

    game: int
    """Number of the game, from 1."""
    turn: int
    """Number of the turn in it, from 1."""
    loss: float
    """Points, by the model without look-ahead."""


def self_played(
    model: ModelFile, game: Game, games: int, seed: int, *, planted: int = 2, least: float = 0.06
) -> tuple[MatFile, list[Planted]]:
    """Money games without the cube, every play the model's best, save `planted` ones a game.

    The planted play is the least bad one that loses `least` points or more, in turns drawn by lot.
    """
    evaluator = Evaluator(model, game)
    rng = random.Random(seed)
    state = MatchState.begin(Terms.money(game))
    states, made, put = [state], list[Step](), list[Planted]()

    def go(step: Step) -> MatchState:
        made.append(step)
        states.append(states[-1].after(step))
        return states[-1]

    for number in range(1, games + 1):
        turns, wanted = 0, planted
        while state.result is None:
            if state.phase == "rolloff":
                state = go(steps.RollOff((rng.randint(1, 6), rng.randint(1, 6))))
                continue
            if state.phase == "throw":
                dice = rng.randint(1, 6), rng.randint(1, 6)
                state = go(steps.Throw((max(dice), min(dice))))
            assert state.dice is not None
            turns += 1
            pos = state.position
            boards, moves, _, equities = evaluator.rank(
                np.asarray(pos.board), state.dice, pos.seat, pos.turns
            )
            behind = float(equities[0]) - equities.astype(np.float64)
            bad = np.flatnonzero(behind >= least)
            place = 0
            if wanted and len(bad) and turns > 2 and rng.random() < 0.2:
                place, wanted = int(bad[0]), wanted - 1
                put.append(Planted(number, turns, float(behind[place])))
            state = go(steps.Move(play_of(pos, state.dice, boards[place], moves[place])))
        if number < games:
            state = go(steps.NextGame())
    return MatFile(History(tuple(states), tuple(made)), ("Ann", "Bob")), put




def played_by(family: str, games: int, seed: int = 5) -> Played:
    """Games of the small shipped bot of a family, read back from their `.mat` text and analysed."""
    bot = load(REPOSITORY / "checkpoints" / f"{family}-quick.safetensors")
    file, planted = self_played(bot.model, Game(family), games, seed)
    text = mat_text(file)
    read = games_of_text(text)
    return Played(bot, file, text, read, planted, analyse([("played.mat", read)], bot, progress=False))


@dataclass(frozen=True)
class Played:
    """Games, who made them, and what is known and said of them."""

    bot: NetBot
    file: MatFile
    text: str
    games: MatGames
    planted: list[Planted]
    analysis: Analysis
