"""`python -m nardy_ai VERB` is the command `nardy VERB`."""

from nardy_ai.commands import main

if __name__ == "__main__":
    raise SystemExit(main())
