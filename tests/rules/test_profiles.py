"""Rule profiles as data: what the package brings, what a file may say, and what it is told when wrong."""

from __future__ import annotations

import itertools
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import tomli_w

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.rules import Game, Profile, explain, load_profile, profile_names, profile_of_table
from nardy_ai.rules.profile import (
    DEFEATS,
    FAMILY_OF,
    CubeOptions,
    MatchOptions,
    RuleOptions,
)

LONG = ("long/fns", "long/aipbg", "long/any_double", "long/autogear", "long/classic", "long/fnr2025")
SHORT = (
    "short/standard",
    "short/hypergammon",
    "short/nackgammon",
    "short/nine_fair",
    "short/portes",
    "short/tavla",
)
CASES = json.loads((Path(__file__).parents[1] / "data" / "long_nardy_cases.json").read_text("utf-8"))


def table(family: str = "long", **sections: Any) -> dict[str, Any]:
    """A profile file as small as it can be, with what a test changes."""
    rules = {"family": family, **sections.pop("rules", {})}
    return {"format": 1, "rules": rules, **sections}


def written(tmp_path: Path, content: dict[str, Any] | str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(content if isinstance(content, str) else tomli_w.dumps(content), "utf-8")
    return path


# --- what the package brings ----------------------------------------------------------------------------


def test_the_twelve_profiles() -> None:
    assert profile_names() == LONG + SHORT
    for name in profile_names():
        assert load_profile(name).name == name
        assert Game(name).name == name


def test_a_game_name_is_its_default_profile() -> None:
    assert load_profile("long") == load_profile("long/fns")
    assert load_profile("short") == load_profile("short/standard")


@pytest.mark.parametrize("name", LONG)
def test_long_profiles_are_those_of_the_case_collection(name: str) -> None:
    profile = load_profile(name)
    expected = dict(CASES["profiles"][name.partition("/")[2]])
    assert dict(profile.scores) == expected.pop("scores")
    assert profile.match.next_start == expected.pop("next_start")
    assert profile.match.draw_points == expected.pop("draw_points", 0.0)
    assert profile.match.length == 3
    assert profile.rules.head_rule
    assert profile.rules.checkers == profile.rules.start[23] == 15
    assert {key: getattr(profile.rules, key) for key in expected} == expected


STARTS = {
    "short/standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "short/nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "short/hypergammon": {24: 1, 23: 1, 22: 1},
}
SHORT_FACTS = {
    # points, cube, automatic doubles, next start, opening roll, hit and run at home
    "short/standard": ((1, 2, 3), True, 0, "rolloff", "rolloff_pair", True),
    "short/nine_fair": ((1, 2), False, "unlimited", "rolloff", "rolloff_pair", True),
    "short/nackgammon": ((1, 2, 3), True, 0, "rolloff", "rolloff_pair", True),
    "short/hypergammon": ((1, 2, 3), True, 0, "rolloff", "rolloff_pair", True),
    "short/portes": ((1, 2), False, 0, "winner", "fresh", False),
    "short/tavla": ((1, 2), False, 0, "winner", "fresh", False),
}


@pytest.mark.parametrize("name", SHORT)
def test_short_profiles(name: str) -> None:
    profile = load_profile(name)
    start = {point: count for point, count in enumerate(profile.rules.start, 1) if count}
    assert start == STARTS.get(name, STARTS["short/standard"])
    assert profile.rules.checkers == sum(start.values())
    facts = (
        tuple(points for _, points in profile.scores),
        profile.cube.enabled,
        profile.cube.automatic_doubles,
        profile.match.next_start,
        profile.rules.opening_roll,
        profile.rules.hit_and_run_home,
    )
    assert facts == SHORT_FACTS[name]
    assert (profile.cube.jacoby, profile.cube.beavers) == (False, False)


@pytest.mark.parametrize("name", LONG + SHORT)
def test_packaged_files_leave_nothing_out_and_name_their_source(name: str) -> None:
    path = Path(core.__file__).parents[1] / "rules" / "profiles" / f"{name}.toml"
    assert "# Source: " in path.read_text("utf-8")
    profile = load_profile(name)
    assert profile.source
    assert profile.title_ru
    assert profile.source_ru


# --- one definition with the engine ---------------------------------------------------------------------


def test_options_and_choices_are_the_engines() -> None:
    schema = {option.name: option for option in core.rules_schema()}
    assert {field.name for field in fields(RuleOptions)} == {*schema, "start"}
    hints = get_type_hints(RuleOptions)
    for name, option in schema.items():
        assert FAMILY_OF.get(name, "both") == option.family, name
        if option.kind == "choice":
            assert set(get_args(hints[name])) == set(option.choices), name
        else:
            assert hints[name] is {"bool": bool, "count": int}[option.kind], name


@pytest.mark.parametrize("family", ["long", "short"])
def test_kinds_of_win_are_the_engines(family: str) -> None:
    scores = {kind: points for points, kind in enumerate(DEFEATS[family], 1)}
    rules = core.Rules(
        {"family": family, "scores": scores, "last_roll": False}
        if family == "long"
        else {"family": family, "scores": scores}
    )
    assert len(rules.outcomes) == 2 * len(scores)
    with pytest.raises(InputError):
        core.Rules({"family": family, "scores": {**scores, "triple": 9}})


@pytest.mark.parametrize("name", LONG + SHORT)
def test_the_engine_resolves_what_the_profile_says(name: str) -> None:
    profile = load_profile(name)
    resolved = Game(profile).core_rules.options
    assert resolved == {**resolved, **profile.core_options()}


@pytest.mark.parametrize(
    ("name", "outcomes", "points"),
    [
        ("long", "win win_mars lose lose_mars draw", (1, 2, -1, -2, 0)),
        ("long/classic", "win win_mars lose lose_mars", (1, 2, -1, -2)),
        (
            "short",
            "win win_gammon win_backgammon lose lose_gammon lose_backgammon",
            (1, 2, 3, -1, -2, -3),
        ),
        ("short/portes", "win win_gammon lose lose_gammon", (1, 2, -1, -2)),
    ],
)
def test_outcomes_and_points(name: str, outcomes: str, points: tuple[float, ...]) -> None:
    game = Game(name)
    assert game.outcomes == tuple(outcomes.split())
    assert game.points == points


# --- a player's own file --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LONG + SHORT)
def test_a_profile_survives_being_written_and_read(name: str, tmp_path: Path) -> None:
    profile = load_profile(name)
    path = written(tmp_path, profile.table())
    again = load_profile(path)
    assert again == replace(profile, name=str(path))
    assert load_profile(str(path)) == again


def test_keys_left_out_are_those_of_the_default_profile() -> None:
    mine = profile_of_table(table(rules={"block": "none"}, title="Free blocks"), "mine")
    fns = load_profile("long/fns")
    assert mine.rules == replace(fns.rules, block="none")
    assert (mine.scores, mine.match, mine.cube) == (fns.scores, fns.match, fns.cube)
    assert mine.title == "Free blocks"
    standard = load_profile("short")
    assert profile_of_table(table("short"), "mine").cube == standard.cube


def test_start_alone_says_how_many_checkers_there_are() -> None:
    assert profile_of_table(table(rules={"start": {"24": 4, "20": 1}}), "mine").rules.checkers == 5


def test_no_head_rule_needs_no_exception() -> None:
    rules = profile_of_table(table(rules={"head_rule": False}), "mine").rules
    assert (rules.head_rule, rules.head_exception) == (False, "none")


def test_without_a_last_roll_there_are_no_draw_points() -> None:
    assert profile_of_table(table(rules={"last_roll": False}), "mine").match.draw_points == 0


def test_koks_and_home_mars() -> None:
    scores = {"oin": 1, "mars": 2, "koks": 3, "home_mars": 4}
    mine = profile_of_table(table(rules={"last_roll": False}, scores=scores), "mine")
    wins = ("win", "win_mars", "win_koks", "win_home_mars")
    assert Game(mine).outcomes[:4] == wins
    assert Game(mine).points[:4] == (1, 2, 3, 4)
    assert mine.points_of("koks") == 3
    assert load_profile("long").points_of("koks") is None


def test_scores_replace_the_defaults_as_a_whole() -> None:
    assert profile_of_table(table("short", scores={"single": 1}), "mine").scores == (("single", 1),)


WRONG: list[tuple[str, dict[str, Any], list[str]]] = [
    ("no format", {"rules": {"family": "long"}}, ["format", "missing", "format = 1"]),
    ("other format", {**table(), "format": 2}, ["format", "2", "format = 1"]),
    ("format of another type", {**table(), "format": True}, ["format", "true"]),
    ("no family", {"format": 1, "rules": {}}, ["rules.family", "missing", '"long", "short"']),
    ("family", table("lang"), ["rules.family", '"lang"', 'did you mean "long"?']),
    ("section", table(rulez={}), ["rulez", 'did you mean "rules"?', "allowed: format"]),
    ("section of another type", {"format": 1, "rules": 3}, ["rules = 3", "[rules]"]),
    ("key", table(rules={"head_exeption": "none"}), ["head_exeption", "[rules]", "head_exception"]),
    ("key in match", table(match={"next": "winner"}), ["next", "[match]", "next_start"]),
    ("choice", table(rules={"block": "condtional"}), ["rules.block", '"condtional"', 'mean "conditional"?']),
    ("bool", table(rules={"last_roll": 1}), ["rules.last_roll = 1", "true or false"]),
    ("bool as text", table(rules={"last_roll": "yes"}), ["rules.last_roll", '"yes"', "true or false"]),
    ("count as text", table(rules={"checkers": "15"}), ["rules.checkers", "whole number"]),
    ("count as float", table(rules={"checkers": 15.0}), ["rules.checkers", "15.0", "whole number"]),
    ("no checkers", table(rules={"checkers": 0}), ["rules.checkers = 0", "1 to 15"]),
    ("too many checkers", table(rules={"checkers": 16}), ["rules.checkers = 16", "1 to 15"]),
    ("checkers without start", table(rules={"checkers": 5}), ["15 checkers", "rules.checkers = 5", "start"]),
    (
        "sum of start",
        table(rules={"checkers": 5, "start": {"24": 4}}),
        ["rules.start has 4", "rules.checkers = 5"],
    ),
    ("point 0", table(rules={"start": {"0": 15}}), ["rules.start", '"0"', "1 to 24"]),
    ("point 25", table(rules={"start": {"25": 15}}), ['"25"', "1 to 24"]),
    ("point 024", table(rules={"start": {"024": 15}}), ['"024"', "1 to 24"]),
    ("point as word", table(rules={"start": {"head": 15}}), ['"head"', "1 to 24"]),
    ("point far off", table(rules={"start": {"9" * 5000: 15}}), ["rules.start", "1 to 24"]),
    ("negative count", table(rules={"start": {"24": -1}}), ["rules.start.24 = -1", "1 to 15"]),
    ("count of start as text", table(rules={"start": {"24": "15"}}), ["rules.start.24", '"15"']),
    ("start as list", table(rules={"start": [15]}), ["rules.start", "{ 24 = 15 }"]),
    ("empty start", table(rules={"start": {}}), ["rules.start"]),
    (
        "shared start",
        table(rules={"start": {"24": 10, "12": 5}}),
        ["both sides would start on one point"],
    ),
    ("hit and run in long", table(rules={"hit_and_run_home": True}), ["hit_and_run_home", "short family"]),
    ("block in short", table("short", rules={"block": "none"}), ["rules.block", "long family"]),
    ("last roll in short", table("short", rules={"last_roll": True}), ["rules.last_roll", "long family"]),
    ("head in short", table("short", rules={"head_rule": False}), ["rules.head_rule", "long family"]),
    (
        "exception without rule",
        table(rules={"head_rule": False, "head_exception": "blocked_any"}),
        ["head_exception", "head_rule = false"],
    ),
    ("koks in short", table("short", scores={"single": 1, "koks": 3}), ["koks", "[scores]", "gammon"]),
    ("gammon in long", table(scores={"oin": 1, "gammon": 2}), ["gammon", "[scores]", "mars"]),
    ("no plain win", table(scores={"mars": 2}), ["scores.oin", "missing"]),
    ("no single", table("short", scores={"gammon": 2}), ["scores.single", "missing"]),
    ("zero points", table(scores={"oin": 0}), ["scores.oin = 0", "1 to 1000"]),
    ("points as float", table(scores={"oin": 1.5}), ["scores.oin = 1.5", "whole number"]),
    ("points as bool", table(scores={"oin": True}), ["scores.oin = true"]),
    ("too many points", table(scores={"oin": 1001}), ["scores.oin = 1001"]),
    ("scores fall", table(scores={"oin": 2, "mars": 1}), ["scores.mars = 1", "above scores.oin = 2"]),
    ("scores level", table(scores={"oin": 1, "mars": 1}), ["scores.mars = 1", "above scores.oin"]),
    (
        "koks below mars",
        table(scores={"oin": 1, "mars": 4, "koks": 3}),
        ["scores.koks = 3", "above scores.mars = 4"],
    ),
    (
        "backgammon below gammon",
        table("short", scores={"single": 1, "gammon": 3, "backgammon": 2}),
        ["scores.backgammon = 2", "above scores.gammon = 3"],
    ),
    ("next start", table(match={"next_start": "loser"}), ["match.next_start", '"loser"', '"winner"']),
    (
        "draw without last roll",
        table(rules={"last_roll": False}, match={"draw_points": 0.5}),
        ["match.draw_points", "rules.last_roll = true"],
    ),
    ("draw in short", table("short", match={"draw_points": 1}), ["match.draw_points", "last_roll"]),
    ("negative draw", table(match={"draw_points": -1}), ["match.draw_points = -1"]),
    ("draw nan", table(match={"draw_points": float("nan")}), ["match.draw_points = nan"]),
    ("draw as text", table(match={"draw_points": "half"}), ["match.draw_points", '"half"', "a number"]),
    ("length", table(match={"length": 0}), ["match.length = 0"]),
    ("length as text", table(match={"length": "three"}), ["match.length", '"three"', "whole number"]),
    ("jacoby in long", table(cube={"jacoby": True}), ["cube.jacoby", "short family"]),
    ("cube in long", table(cube={}), ["[cube]", "short family"]),
    (
        "jacoby without cube",
        table("short", cube={"enabled": False, "jacoby": True}),
        ["cube.jacoby", "cube.enabled = true"],
    ),
    (
        "beavers without cube",
        table("short", cube={"enabled": False, "beavers": True}),
        ["cube.beavers", "cube.enabled = true"],
    ),
    ("doubles below 0", table("short", cube={"automatic_doubles": -1}), ["doubles = -1", "0 to 64"]),
    (
        "doubles as word",
        table("short", cube={"automatic_doubles": "unlimted"}),
        ["cube.automatic_doubles", 'a whole number or "unlimited"'],
    ),
    ("doubles as bool", table("short", cube={"automatic_doubles": True}), ["automatic_doubles = true"]),
    ("title of two lines", table(title="a\nb"), ["title", "one line"]),
    ("title as number", table(title=3), ["title = 3", "one line of text"]),
]


@pytest.mark.parametrize(("content", "parts"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_wrong_files_are_told_so_in_one_sentence(
    content: dict[str, Any], parts: list[str], tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        Game(str(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 400 + len(str(path))
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("lnog", ['unknown game "lnog"', 'did you mean "long"?']),
        ("Short", ['did you mean "short"?']),
        ("long/clasic", ['unknown profile "long/clasic"', 'did you mean "long/classic"?']),
        ("chess", ['unknown game "chess"', "long/fns"]),
        ("", ['unknown game ""']),
        ("long/../../secret", ["unknown profile"]),
        ("x" * 10_000, ["unknown game"]),
        ("a\nb", ["unknown game", "a\\nb"]),
        ("nowhere/mine.toml", ["nowhere/mine.toml: there is no such file"]),
    ],
)
def test_unknown_names_name_the_nearest(name: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        Game(name)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    for part in parts:
        assert part in str(caught.value)


def test_a_name_of_another_type() -> None:
    with pytest.raises(InputError, match="not by int"):
        Game(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        (b"format = ", "not valid TOML"),
        (b"[" * 100_000, "not valid TOML"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"#" * 1_000_001, "larger than"),
        (b"", "format is missing"),
    ],
)
def test_files_that_are_no_profile(raw: bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=part) as caught:
        load_profile(path)
    assert "\n" not in str(caught.value)


def test_what_is_no_path_is_no_profile() -> None:
    with pytest.raises(InputError, match="not a path") as caught:
        load_profile("a\0b.toml")
    assert "\0" not in str(caught.value)


def test_a_folder_is_no_profile(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_profile(tmp_path)


# --- in words -------------------------------------------------------------------------------------------


def variants(profile: Profile) -> list[Profile]:
    """The profile with each option changed to every other value."""
    found = []
    for kind, section in ((RuleOptions, "rules"), (MatchOptions, "match"), (CubeOptions, "cube")):
        if section == "cube" and profile.family == "long":
            continue
        for field in fields(kind):
            if field.name == "family" or FAMILY_OF.get(field.name, profile.family) != profile.family:
                continue
            part = getattr(profile, section)
            values = get_args(get_type_hints(kind)[field.name])
            if isinstance(getattr(part, field.name), bool):
                values = (True, False)
            changed = [replace(part, **{field.name: value}) for value in values if value in VALUES]
            found += [replace(profile, **{section: options}) for options in changed]
    return found


VALUES = {
    True,
    False,
    "unlimited",
    *itertools.chain(*(get_args(hint) for hint in get_type_hints(RuleOptions).values())),
    *get_args(get_type_hints(MatchOptions)["next_start"]),
} - {"long", "short", int, Ellipsis}


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("name", ["long", "short"])
def test_every_option_is_explained(name: str, lang: str) -> None:
    base = load_profile(name)
    base = replace(base, cube=replace(base.cube, enabled=True)) if name == "short" else base
    found = variants(base)
    assert len(found) > 8
    texts = {}
    for profile in found:
        text = explain(profile, lang)
        assert "{" not in text
        texts.setdefault(text, profile)
        assert texts[text] == profile, "two different profiles read alike"


def test_explained_in_both_languages() -> None:
    english, russian = (explain(load_profile("long/fns"), lang) for lang in ("en", "ru"))
    assert english.splitlines()[0] == "long/fns: Long nardy, federation rules"
    assert "A draw scores 0.5 for each side" in english
    assert "two" not in russian
    assert "с головы" in russian.lower()
    assert len(english.splitlines()) == len(russian.splitlines())
    with pytest.raises(InputError, match="'de'"):
        explain(load_profile("long"), "de")


def test_koks_doubles_and_lengths_are_explained() -> None:
    scores = {"oin": 1, "mars": 2, "koks": 3, "home_mars": 4}
    mine = profile_of_table(table(scores=scores, match={"length": 7}), "mine")
    assert "koks (nor has he any at home): 3" in explain(mine)
    assert "to 7 points" in explain(mine)
    doubles = profile_of_table(table("short", cube={"automatic_doubles": 2}), "mine")
    assert "at most 2 times" in explain(doubles)
    assert "every time" in explain(load_profile("short/nine_fair"))
    assert "каждый раз" in explain(load_profile("short/nine_fair"), "ru")
    assert "every time" not in explain(load_profile("short"))
