"""Web bundles on the disk: whole, the same each time, checked, and never in the place of anything else."""

from __future__ import annotations

import errno
import json
import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import REPOSITORY, nardy
from untrained import untrained_model

from nardy_ai.core import InputError
from nardy_ai.export import folder, web_check
from nardy_ai.export.c_library import export_c
from nardy_ai.export.folder import names_below
from nardy_ai.export.json_spec import export_json
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.export.net_file import export_net_file, net_file_bytes
from nardy_ai.export.web import export_web
from nardy_ai.export.web_check import check_net, nets_of
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game
from nardy_ai.rules.profile_reader import load_profile, profile_names

PROFILE = "short/hypergammon"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_model(PROFILE, tmp_path_factory.mktemp("model") / "model.safetensors")


@pytest.fixture(scope="module")
def bundle(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("web") / "new folder" / "bundle"
    export_web(model, out)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names_below(folder)}


def test_equal_models_give_equal_bytes_and_nothing_stays_beside_them(
    model: Path, bundle: Path, tmp_path: Path
) -> None:
    done = export_web(model, tmp_path / "again")
    assert contents(tmp_path / "again") == contents(bundle)
    assert [path.name for path in tmp_path.iterdir()] == ["again"]
    assert done.bytes == sum(map(len, contents(bundle).values())) < 1_500_000
    assert done.files == len(contents(bundle))


def test_the_manifest_lists_every_file_but_itself(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    assert set(manifest["files"]) == set(contents(bundle)) - {"manifest.json"}
    (only,) = manifest["models"]
    assert (manifest["format"], only["name"], only["net"]) == (2, "model", "model.nardynet")
    assert only["facts"]["profile"] == PROFILE
    assert only["facts"]["outcomes"][0] == "win"


def test_every_profile_of_the_package_is_in_it(bundle: Path) -> None:
    profiles = json.loads((bundle / "profiles.json").read_bytes())
    assert [each["name"] for each in profiles] == list(profile_names())
    for each in profiles:
        profile = load_profile(each["name"])
        assert each["title_ru"] == profile.title_ru != ""
        assert each["checkers"] == profile.rules.checkers
        assert f"bearoff_same_turn = {str(profile.rules.bearoff_same_turn).lower()}\n" in each["options"]
        assert (each["cube"] is None) == (profile.family == "long")


def test_what_javascript_imports_is_in_the_bundle(bundle: Path) -> None:
    files = contents(bundle)
    scripts = {name: data.decode() for name, data in files.items() if name.endswith((".js", ".html"))}
    named = {
        posixpath.normpath(posixpath.join(posixpath.dirname(name), found))
        for name, text in scripts.items()
        for found in re.findall(r'(?:from|URL\(|src=|href=)\s*"(?!data:)([\w./-]+\.\w+)"', text)
    }
    assert {"engine.js", "worker.js", "worker_client.js", "page/main.js"} <= named <= set(files)
    assert 'register("service_worker.js")' in scripts["page/offline.js"]
    # Everything on the page comes with it.
    assert not re.findall(r'(?:src|href|fetch\()="?https?:', "".join(scripts.values()))
    exported = set(re.findall(r"export (?:async )?(?:function|class) (\w+)", "".join(scripts.values())))
    declared = re.findall(r"^export (?:function|class) (\w+)", files["nardy.d.ts"].decode(), re.MULTILINE)
    assert {"open", "openWorker", "positionKey", "NardyError"} <= set(declared) <= exported
    assert len(scripts["example.html"].splitlines()) <= 30


def test_the_licence_is_that_of_the_package(bundle: Path) -> None:
    assert (bundle / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()


def test_a_net_file_read_back_gives_the_same_bytes_again(model: Path, bundle: Path) -> None:
    file = read_model(model)
    data = (bundle / "model.nardynet").read_bytes()
    profile, encoding, outcomes, nets = nets_of(data)
    again = ModelFile(file.game, profile, file.rules, encoding, outcomes, nets, file.provenance)
    assert net_file_bytes(again) == data


def test_a_net_that_did_not_arrive_is_no_success(model: Path) -> None:
    file = read_model(model)
    data = net_file_bytes(file)
    assert check_net(data, file) == web_check.BOARDS
    with pytest.raises(ExportMismatch, match="cannot be read back"):
        check_net(data[:-4], file)
    weight, bias = file.nets["contact"][0]
    nets = {**file.nets, "contact": [(weight * 1.001, bias), *file.nets["contact"][1:]]}
    with pytest.raises(ExportMismatch, match="judges boards differently"):
        check_net(data, ModelFile(file.game, file.profile, file.rules, file.encoding, file.outcomes, nets))


def test_an_earlier_bundle_is_replaced(model: Path, tmp_path: Path) -> None:
    other = untrained_model(PROFILE, tmp_path / "other.safetensors", seed=6)
    export_web(other, tmp_path / "bundle")
    before = contents(tmp_path / "bundle")
    export_web(model, tmp_path / "bundle")
    after = contents(tmp_path / "bundle")
    assert after["model.nardynet"] != before["other.nardynet"]
    assert "other.nardynet" not in after
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "other.safetensors"]


@pytest.mark.parametrize("change", ["added", "edited", "foreign"])
def test_a_folder_with_anything_else_in_it_is_kept(model: Path, tmp_path: Path, change: str) -> None:
    out = tmp_path / "bundle"
    if change == "foreign":
        out.mkdir()
        (out / "thesis.txt").write_text("mine")
    else:
        export_web(model, out)
        place = out / ("mine.txt" if change == "added" else "index.html")
        place.write_text("mine")
    before = contents(out)
    with pytest.raises(InputError, match="no export of this kind wrote"):
        export_web(model, out)
    assert contents(out) == before


def test_no_other_export_mixes_with_a_bundle(bundle: Path, model: Path) -> None:
    before = contents(bundle)
    exports: list[Callable[[Path], object]] = [
        lambda out: export_json(model, out),
        lambda out: export_c(model, out),
        lambda out: export_net_file(model, out),
        lambda out: export_web(model, out),
    ]
    for export in exports:
        for out in (bundle / "below", bundle / "page" / "manifest.json"):
            with pytest.raises(InputError, match="is a folder that an export wrote"):
                export(out)
    with pytest.raises(InputError, match=r"is a folder that an export wrote, and model\.json is none of its"):
        export_json(model, bundle)
    with pytest.raises(InputError, match="no export of this kind wrote"):
        export_c(model, bundle)
    assert contents(bundle) == before


def test_an_empty_folder_will_do_and_a_file_will_not(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    export_web(model, tmp_path / "empty")
    assert (tmp_path / "empty" / "nardy.js").exists()
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="--out"):
            export_web(model, place)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_full_disk_leaves_what_was_there(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "bundle"
    export_web(model, out)
    before = contents(out)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as told:
        export_web(model, out)
    assert Path(str(told.value.filename)).parent == out
    assert contents(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


def test_a_bundle_that_cannot_be_put_in_place_leaves_the_earlier_one(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "bundle"
    export_web(model, out)
    before = contents(out)
    rename = Path.rename

    def refused(path: Path, target: Path) -> Path:
        if ".part-" in path.name:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        export_web(model, out)
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    assert contents(out) == before


def test_bytes_that_the_disk_changed_are_no_success(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lossy(path: Path, data: bytes) -> None:
        path.write_bytes(data[:-1] if path.name == "engine.wasm" else data)

    monkeypatch.setattr(folder, "_write", lossy)
    with pytest.raises(ExportMismatch, match=r"engine\.wasm did not reach the disk"):
        export_web(model, tmp_path / "bundle")
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_wrote(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    ran = nardy("export", model, "--to", "web", "--out", out)
    assert (ran.code, ran.err) == (0, "")
    assert f"wrote {out}" in ran.out
    assert "256 boards" in ran.out
    refused = nardy("export", REPOSITORY / "LICENSE", "--to", "web", "--out", out)
    assert refused.is_bad_input(), refused


def test_another_profile_can_be_the_one_that_counts(tmp_path: Path) -> None:
    model = untrained_model("short/standard", tmp_path / "bot.safetensors")
    export_web(model, tmp_path / "bundle", "short/hypergammon")
    facts = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())["models"][0]["facts"]
    assert (facts["profile"], facts["trained_under"]) == ("short/hypergammon", "short/standard")
    expected = json.loads((tmp_path / "bundle" / "bot.vectors.json").read_bytes())
    game = Game("short/hypergammon")
    for key in expected["evaluations"][0]["positions"]:
        assert game.position(key).board[0].sum() == 3
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    script = """
      const { open } = await import(`${process.argv[1]}/nardy.js`);
      const nardy = await open();
      console.log(nardy.profile().name, (await nardy.selfTest()).ok);"""
    words = [node, "--input-type=module", "-e", script, tmp_path / "bundle"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said == "short/hypergammon true\n"


# ---- several models ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of a long bot, a short one, and another short one from a folder of its own."""
    place = tmp_path_factory.mktemp("several")
    for name in ("a", "b"):
        (place / name).mkdir()
    models = [
        untrained_model("short/standard", place / "a" / "model.safetensors"),
        untrained_model("long/fns", place / "Мой бот №1.safetensors"),
        untrained_model("short/standard", place / "b" / "model.safetensors", seed=6),
    ]
    done = export_web(models, place / "bundle", "short/hypergammon")
    assert done.models == ("a", "Мой-бот-1", "b")
    return place / "bundle"


def test_a_bundle_holds_several_models_each_under_its_name_and_rules(several: Path) -> None:
    models = json.loads((several / "manifest.json").read_bytes())["models"]
    assert [each["name"] for each in models] == ["a", "Мой-бот-1", "b"]
    # The profile is that of the models of its game; others keep their own.
    profiles = [each["facts"]["profile"] for each in models]
    assert profiles == ["short/hypergammon", "long/fns", "short/hypergammon"]
    nets = [(several / each["net"]).read_bytes() for each in models]
    assert len(set(nets)) == 3
    assert nets_of(nets[1])[0] == "long/fns"


def test_every_model_of_a_bundle_opens_by_its_name_and_passes_its_own_test(several: Path) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    script = """
      const { open, openWorker } = await import(`${process.argv[1]}/nardy.js`);
      const first = await open();
      const said = [[first.model.name, first.models.map((model) => [model.name, model.game])]];
      for (const { name } of first.models) {
        const nardy = await open({ model: name });
        said.push([nardy.model.name, nardy.profile().name, (await nardy.selfTest()).ok]);
      }
      const worker = await openWorker({ model: "b" });
      said.push([worker.model.name, worker.models.length, worker.version === first.version]);
      worker.close();
      said.push(await open({ model: "c" }).catch((error) => `${error.name}: ${error.message}`));
      console.log(JSON.stringify(said));
      process.exit(0);"""
    words = [node, "--input-type=module", "-e", script, several]
    said = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert said == [
        ["a", [["a", "short"], ["Мой-бот-1", "long"], ["b", "short"]]],
        ["a", "short/hypergammon", True],
        ["Мой-бот-1", "long/fns", True],
        ["b", "short/hypergammon", True],
        ["b", 3, True],
        'NardyError: there is no model "c"; nardy.models lists them',
    ]


MANIFEST_FAULTS: dict[str, Callable[[Any], object]] = {
    "no models": lambda manifest: manifest.pop("models"),
    "an empty list of models": lambda manifest: manifest.update(models=[]),
    "models by name": lambda manifest: manifest.update(models={"model": manifest["models"][0]}),
    "a model that is none": lambda manifest: manifest["models"].append(None),
    "a model without facts": lambda manifest: manifest["models"][0].pop("facts"),
    "a model without a profile": lambda manifest: manifest["models"][0]["facts"].pop("profile"),
    "a model without a name": lambda manifest: manifest["models"][0].pop("name"),
    "a net that is not listed": lambda manifest: manifest["models"][0].update(net="constructor"),
    "a net outside": lambda manifest: manifest["models"][0].update(net="../../net"),
    "no engines": lambda manifest: manifest.pop("engines"),
    "an engine that is not listed": lambda manifest: manifest["engines"].update(plain="other.wasm"),
    "no files": lambda manifest: manifest.update(files=None),
    "a file without a length": lambda manifest: manifest["files"]["engine.wasm"].pop("bytes"),
    "no version": lambda manifest: manifest.pop("version"),
}


def test_a_manifest_that_lacks_a_part_is_told_in_one_sentence(bundle: Path, tmp_path: Path) -> None:
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    whole = (bundle / "manifest.json").read_text("utf-8")
    for what, change in MANIFEST_FAULTS.items():
        manifest = json.loads(whole)
        change(manifest)
        (tmp_path / what).mkdir()
        (tmp_path / what / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    script = """
      const { pathToFileURL } = await import("node:url");
      const { open, openWorker } = await import(`${process.argv[1]}/nardy.js`);
      for (const path of process.argv.slice(2))
        for (const way of [open, openWorker])
          try {
            await way({ folder: pathToFileURL(`${path}/`) });
            console.log("opened");
          } catch (error) {
            console.log(`${error.name}: ${error.message}`);
          }
      process.exit(0);"""
    folders = [tmp_path / what for what in MANIFEST_FAULTS]
    words = [node, "--input-type=module", "-e", script, bundle, *folders]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    expected = "NardyError: manifest.json is damaged: copy the whole folder again"
    assert dict(zip(MANIFEST_FAULTS, zip(said[::2], said[1::2], strict=True), strict=True)) == dict.fromkeys(
        MANIFEST_FAULTS, (expected, expected)
    )


def test_the_quick_bots_of_both_games_are_small_together(tmp_path: Path) -> None:
    quick = [REPOSITORY / "checkpoints" / f"{game}-quick.safetensors" for game in ("long", "short")]
    done = export_web(quick, tmp_path / "bundle")
    assert done.models == ("long-quick", "short-quick")
    assert done.bytes < 1_500_000


def test_models_that_do_not_go_together_are_refused(model: Path, tmp_path: Path) -> None:
    shutil.copy(model, tmp_path / "Model.safetensors")
    with pytest.raises(InputError, match="second model with the name"):
        export_web([model, model], tmp_path / "bundle")
    with pytest.raises(InputError, match="needs a model"):
        export_web([], tmp_path / "bundle")
    long = untrained_model("long/fns", tmp_path / "long.safetensors")
    other = untrained_model("long/fns", tmp_path / "other.safetensors")
    with pytest.raises(InputError, match="no model here plays the game of short/standard"):
        export_web([long, other], tmp_path / "bundle", "short/standard")
    assert not (tmp_path / "bundle").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.safetensors", "b.safetensors", "--to", "c"], "--to c takes one model"),
        (["a.safetensors", "b.safetensors", "--to", "web"], "--out"),
        (["--to", "web"], "no model to export"),
    ],
)
def test_the_command_says_what_several_models_need(words: list[str], said: str) -> None:
    ran = nardy("export", *words)
    assert ran.is_bad_input(), ran
    assert said in ran.err
