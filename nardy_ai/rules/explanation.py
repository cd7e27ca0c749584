"""A rule profile in words, in English and Russian. The words are data: `words/en.toml`, `words/ru.toml`."""

from __future__ import annotations

from nardy_ai.rules.arguments import needed, one_of
from nardy_ai.rules.languages import LANGUAGES, Words, words_of
from nardy_ai.rules.profile import CubeOptions, Profile, RuleOptions


def explain(profile: Profile, lang: str = "en") -> str:
    """The rules of a profile as text, one rule a line, in `en` or `ru`.

    Raises InputError for another language.
    """
    needed(profile, Profile)
    words = words_of(one_of(lang, LANGUAGES, "explanation in the language"))
    russian = lang == "ru"
    lines = [f"{profile.name}: {(profile.title_ru if russian else '') or profile.title}"]
    source = (profile.source_ru if russian else "") or profile.source
    if source:
        lines.append(f"{words['source']}: {source}")
    return "\n".join([*lines, "", *(f"- {line}" for line in _rules(profile, words))])


def _rules(profile: Profile, words: Words) -> list[str]:
    rules, match = profile.rules, profile.match
    lines = [_start(rules, words), words["family"][rules.family]]
    lines += _long_rules(rules, words) if rules.family == "long" else _short_rules(rules, words)
    lines += [words["duty"], _by_switch(words["bearoff_same_turn"], rules.bearoff_same_turn)]
    if rules.family == "long":
        lines.append(_by_switch(words["last_roll"], rules.last_roll))
    lines.append(_scores(profile, words))
    if rules.last_roll:
        lines.append(words["draw_points"].format(points=f"{match.draw_points:g}"))
    lines += [words["opening_roll"][rules.opening_roll], words["next_start"][match.next_start]]
    if match.length is not None:
        lines.append(words["match_length"].format(points=match.length))
    return lines + (_cube(profile.cube, words) if rules.family == "short" else [])


def _by_switch(words: Words, on: bool) -> str:
    text: str = words["true" if on else "false"]
    return text


def _start(rules: RuleOptions, words: Words) -> str:
    places = [(count, point) for point, count in enumerate(rules.start, 1) if count]
    listed = ", ".join(words["place"].format(count=count, point=point) for count, point in reversed(places))
    text: str = words["start"].format(count=rules.checkers, start=listed)
    return text


def _long_rules(rules: RuleOptions, words: Words) -> list[str]:
    lines = [words["head_exception"][rules.head_exception] if rules.head_rule else words["no_head_rule"]]
    if rules.block == "none":
        return [*lines, words["block"]["none"]]
    scope = words["block_scope"][rules.block_scope]
    transient = _by_switch(words["block_transient"], rules.block_transient)
    return [*lines, words["block"][rules.block].format(scope=scope), transient]


def _short_rules(rules: RuleOptions, words: Words) -> list[str]:
    return [words["on_bar"], *([] if rules.hit_and_run_home else [words["no_hit_and_run"]])]


def _scores(profile: Profile, words: Words) -> str:
    listed = "; ".join(f"{words['scores'][kind]}: {points}" for kind, points in profile.scores)
    return f"{words['points']}: {listed}."


def _cube(cube: CubeOptions, words: Words) -> list[str]:
    lines = [_by_switch(words["cube_enabled"], cube.enabled)]
    lines += [words["cube"][name] for name in ("jacoby", "beavers") if getattr(cube, name)]
    if cube.automatic_doubles == "unlimited":
        lines.append(words["automatic_doubles_unlimited"])
    elif cube.automatic_doubles:
        lines.append(words["automatic_doubles"].format(times=cube.automatic_doubles))
    return lines
