"""`nardy rules`: the rule profiles there are, and what each of them says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.rules import explain, load_profile, profile_names
from nardy_ai.rules.screen import folded


@dataclass
class Command:
    """List the rule profiles, or explain one.

    Example: nardy rules long/classic --lang ru
    """

    profile: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="[PROFILE]", help_behavior_hint="")
    ] = ""
    """Game (`long`, `short`), profile (`long/classic`) or a .toml file; without it the list."""

    lang: Literal["en", "ru"] = "en"
    """Language of the explanation."""

    json: bool = False
    """JSON instead of text: the list, or the profile's options with the explanation."""

    def run(self) -> int:
        """Prints the list or the explanation."""
        if not self.profile:
            return self._list()
        profile = load_profile(self.profile)
        text = explain(profile, self.lang)
        if self.json:
            print_json({"profile": profile.name, **profile.table(), "explanation": text})
        else:
            print("\n".join(folded(text.splitlines())))
        return 0

    def _list(self) -> int:
        profiles = [load_profile(name) for name in profile_names()]
        if self.json:
            print_json(
                {"profiles": [{"profile": p.name, "title": p.title, "source": p.source} for p in profiles]}
            )
            return 0
        width = max(len(profile.name) for profile in profiles)
        for profile in profiles:
            print(f"{profile.name:<{width}}  {profile.title}")
        print("\nnardy rules PROFILE explains one")
        return 0
