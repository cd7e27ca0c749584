"""What `nardy rules` and `nardy doctor` say."""

from __future__ import annotations

import json

import pytest
from command_line import nardy

from nardy_ai.rules import profile_names


def test_the_list_has_every_profile() -> None:
    ran = nardy("rules")
    assert ran.code == 0
    for name in profile_names():
        assert name in ran.out
    listed = json.loads(nardy("rules", "--json").out)["profiles"]
    assert [entry["profile"] for entry in listed] == list(profile_names())


@pytest.mark.parametrize(("lang", "word"), [("en", "head"), ("ru", "головы")])
def test_a_profile_in_words(lang: str, word: str) -> None:
    ran = nardy("rules", "long", "--lang", lang)
    assert ran.code == 0
    assert "long/fns" in ran.out
    assert word in ran.out


def test_a_profile_as_json() -> None:
    found = json.loads(nardy("rules", "short", "--json").out)
    assert found["profile"] == "short/standard"
    assert found["rules"]["family"] == "short"
    assert found["scores"] == {"single": 1, "gammon": 2, "backgammon": 3}
    assert "gammon" in found["explanation"]


def test_doctor_reports_what_training_uses() -> None:
    ran = nardy("doctor")
    assert ran.code == 0, ran.out
    for word in ("torch", "device", "cores", "kernel", "onnxruntime"):
        assert word in ran.out
    report = json.loads(nardy("doctor", "--json").out)
    assert report["device"] in ("cpu", "cuda")
    assert report["device_reason"]
    assert report["cores"] >= 1
    assert report["faults"] == []
