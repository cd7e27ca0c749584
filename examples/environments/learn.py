"""A learner from outside: REINFORCE on the Gymnasium environment, with a policy of eight numbers.

It knows what an action is (a checker on a point, moved by a die) and what the board says of both ends of the
way; what is good about them it learns from the points of its games against `random`.

    python examples/environments/learn.py [EPISODES]
"""

import sys

import gymnasium
import numpy as np

from nardy_ai.envs import PASS, movement_of, read_observation

EPISODES = int(sys.argv[1]) if len(sys.argv) > 1 else 800
NAMES = (
    "leaves a pair", "leaves alone", "joins one", "joins more", "hits", "bears off", "enters", "from behind"
)
rng = np.random.default_rng(1)
env = gymnasium.make("nardy_ai/Nardy-v0", game="short/hypergammon", opponent="random")
weights = np.zeros(len(NAMES))


def features(observation, actions):
    """One row an action: what it leaves and where it arrives."""
    board = read_observation(observation).board
    rows = np.zeros((len(actions), len(NAMES)))
    for row, action in zip(rows, actions, strict=True):
        if action == PASS:
            continue
        point, die = movement_of(int(action))
        to = point - die
        there = board[0, to - 1] if to > 0 else 0
        # In short nardy my point is his point 25 - point.
        hit = to > 0 and board[1, 24 - to] == 1
        here = board[0, point - 1]
        row[:] = here == 2, here == 1, there == 1, there > 1, hit, to <= 0, point == 25, point / 24
    return rows


def play(rate, baseline=0.0, seed=None):
    """An episode by the policy; its weights move by `rate` towards what earned more than the baseline."""
    seen, _ = env.reset(seed=seed)
    slope, over = np.zeros_like(weights), False
    while not over:
        actions = np.flatnonzero(seen["action_mask"])
        rows = features(seen["observation"], actions)
        chances = np.exp(rows @ weights)
        chances /= chances.sum()
        taken = rng.choice(len(actions), p=chances)
        slope += rows[taken] - chances @ rows
        seen, reward, terminated, truncated, _ = env.step(actions[taken])
        over = terminated or truncated
    weights[:] += rate * (reward - baseline) * slope
    return reward


def measure(episodes):
    """Points a game, with the dice of seed 1000, from which it does not learn."""
    points = np.array([play(0.0, seed=1000 if n == 0 else None) for n in range(episodes)])
    half = 1.96 * points.std() / len(points) ** 0.5
    return f"{points.mean():+.3f} points a game ({points.mean() - half:+.3f} to {points.mean() + half:+.3f})"


print("before:", measure(min(EPISODES, 400)))
mean = 0.0
for n in range(EPISODES):
    mean += 0.02 * (play(0.02, mean, seed=1 if n == 0 else None) - mean)
print("after: ", measure(min(EPISODES, 400)))
for name, weight in sorted(zip(NAMES, weights, strict=True), key=lambda pair: -pair[1]):
    print(f"  {weight:+.2f} {name}")
