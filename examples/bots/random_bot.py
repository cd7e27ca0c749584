"""A bot in Python: each legal play with the same probability, in every game (docs/bot-protocol.md)."""
import sys

for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "nardy":
        print("nardy 1 random bot in Python", flush=True)
    elif word == "ready":
        print("ready", flush=True)
    elif word == "turn":
        turn, plays = rest, []
    elif word == "lot":
        lot = int(rest)
    elif word == "play":
        plays.append(rest)
    elif word == "go":
        print("play", turn, plays[lot % len(plays)], flush=True)
    elif word == "quit":
        break
