"""A program that speaks the line protocol, and does one thing wrong: `python -I -S fake_bot.py WHAT`."""

import os
import signal
import subprocess
import sys
import time

WHAT = sys.argv[1]
# The turn from which on it goes wrong.
WRONG_TURN = 3


def say(text: str) -> None:
    os.write(1, text.encode() + b"\n")


def answer(turn: str, plays: list[str], afters: list[str]) -> None:
    last = f"play {turn} {plays[-1]}"
    if WHAT == "boards":
        say(f"board {turn} {afters[-1]}")
    elif WHAT == "crlf":
        say(f"{last}\r")
    elif int(turn) < WRONG_TURN:
        say(last)
    elif WHAT == "hangs":
        time.sleep(60)
    elif WHAT == "late":
        time.sleep(1.5)
        say(last)
    elif WHAT == "drips":
        while True:
            os.write(1, b"p")
            time.sleep(0.05)
    elif WHAT == "dies":
        sys.exit(3)
    elif WHAT == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif WHAT == "breaks off":
        os.write(1, b"play 3 8/")
        sys.exit(0)
    elif WHAT == "closes":
        os.close(1)
        time.sleep(60)
    elif WHAT == "noise before":
        say(f"thinking…\n{last}")
    elif WHAT == "noise after":
        say(f"{last}\nthat was easy")
    elif WHAT == "long line":
        say("play 3 " + "8/5 " * 5000)
    elif WHAT == "floods":
        while True:
            say("la " * 1000)
    elif WHAT == "latin":
        os.write(1, b"play 3 \xff\xfe\n")
    elif WHAT == "illegal":
        say(f"play {turn} 24/off")
    elif WHAT == "unreadable":
        say(f"play {turn} left a bit")
    elif WHAT == "illegal board":
        say(f"board {turn} " + " ".join(["0"] * 25 + ["15"] + ["0"] * 25 + ["15"]))
    elif WHAT == "no board":
        say(f"board {turn} 1 2 3")
    elif WHAT == "wrong turn":
        say(f"play {int(turn) - 1} {plays[-1]}")
    elif WHAT == "empty":
        say("")
    else:
        say(last)


def main() -> None:
    print(f"pid {os.getpid()}", file=sys.stderr, flush=True)
    if WHAT == "has a child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(f"pid {child.pid}", file=sys.stderr, flush=True)
    if WHAT == "chatters":
        print("blah " * 100_000 + "the last word", file=sys.stderr, flush=True)
    turn, plays, afters, refusing = "", [], [], False
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "nardy":
            greeting = {
                "old": "nardy 0 old bot",
                "nameless": "nardy 1",
                "stranger": "hello?",
                "long name": "nardy 1 " + "x" * 81,
            }
            if WHAT == "silent":
                time.sleep(60)
            say(greeting.get(WHAT, f"nardy 1 bot that {WHAT}"))
        elif word == "game":
            refusing = WHAT == "refuses" and rest.startswith("long")
        elif word == "ready":
            ready = "what?" if WHAT == "unready" else "ready"
            say("refuse I know backgammon alone" if refusing else ready)
        elif word == "turn":
            turn, plays, afters = rest, [], []
        elif word == "play":
            plays.append(rest)
        elif word == "after":
            afters.append(rest)
        elif word == "go":
            answer(turn, plays, afters)
        elif word == "quit":
            if WHAT == "stays":
                time.sleep(60)
            break


main()
