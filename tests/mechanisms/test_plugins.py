"""Mechanisms of other packages: found by entry points, never in the way of others."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.cli.app import main
from hushgram.lab.audit import audit_mechanism, mechanism_pairs
from hushgram.lab.checks import CHECKS
from hushgram.lab.evaluate import DataSet, ExperimentGrid, run
from hushgram.mechanisms.plugins import find_plugins, load_plugin
from hushgram.mechanisms.registry import BUILT_IN, parse_mechanism

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "own-mechanism.md"
COARSE = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S)[0]
"""The module that the guide shows."""


@pytest.fixture(autouse=True)
def _fresh_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is found and loaded in a test is forgotten after it."""
    modules = set(sys.modules)
    find_plugins.cache_clear()
    load_plugin.cache_clear()
    yield
    find_plugins.cache_clear()
    load_plugin.cache_clear()
    for name in {*sys.modules} - modules:
        if name.startswith("plugin_"):
            del sys.modules[name]


class Site:
    """A folder of installed packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, package: str, points: dict[str, str], **modules: str) -> None:
        """What pip leaves behind: modules, and a dist-info with its entry points."""
        for module, code in modules.items():
            (self.folder / f"{module}.py").write_text(code)
        about = self.folder / f"{package.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (about / "entry_points.txt").write_text("\n".join(["[hushgram.mechanisms]", *lines, ""]))
        find_plugins.cache_clear()
        load_plugin.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return Site(folder)


@pytest.fixture
def coarse(site: Site) -> Site:
    site.install("hushgram-coarse", {"coarse": "plugin_coarse:Coarse"}, plugin_coarse=COARSE)
    return site


def program(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def test_a_plugin_is_a_mechanism_like_any_other(coarse: Site) -> None:
    assert list(hg.MECHANISMS) == [*BUILT_IN, "coarse"]
    assert len(hg.MECHANISMS) == len(BUILT_IN) + 1
    assert "coarse" in hg.MECHANISMS
    release = hg.publish(hg.Counts([5, 6, 7, 8]), epsilon=1, mechanism="coarse:slices=2")
    assert (release.mechanism, release.parameters) == ("coarse", {"slices": 2})
    assert release.estimate.partition.size == 2
    assert "Counts a few equal slices" in release.explain()
    with pytest.raises(hg.BadInput, match=r"no parameter .slice.. Did you mean .slices."):
        hg.publish(hg.Counts([5, 6]), epsilon=1, mechanism="coarse:slice=2")


def test_the_program_takes_its_name(
    coarse: Site, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ages.csv").write_text("age\n3\n4\n40\n")
    code, out, _ = program(
        capsys, "publish", "ages.csv", "--account", "a", "--epsilon", "1", "--axis", "age=0..99",
        "-m", "coarse", "-o", "ages.hush.parquet",
    )  # fmt: skip
    assert (code, "with coarse" in out) == (0, True)
    code, out, _ = program(capsys, "mechanisms", "--json")
    assert json.loads(out)[-1]["summary"] == "Counts a few equal slices of every axis."


def test_the_lab_takes_its_name(coarse: Site, tmp_path: Path) -> None:
    mechanism = parse_mechanism("coarse:slices=3")  # as `hushgram lab audit` reads it
    for pair in mechanism_pairs(mechanism):
        assert not audit_mechanism(mechanism, pair, 200, 1e-6, Fraction(1)).convicted
    data = DataSet("few", np.array([5, 6, 7, 8] * 4))
    results = run(
        ExperimentGrid([data], ["coarse:slices=2", "identity"], epsilons=[1], runs=1), tmp_path
    )
    assert set(results.table["mechanism"].to_pylist()) == {"coarse:slices=2", "identity"}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_public_checks_run_on_it(coarse: Site, check: Any) -> None:
    check(hg.MECHANISMS["coarse"]())


def test_a_release_needs_no_plugin(coarse: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    path = coarse.folder / "out.hush.parquet"
    release = hg.publish(hg.Counts([5, 6, 7, 8]), epsilon=1, mechanism="coarse")
    release.save(path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(coarse.folder)])
    del sys.modules["plugin_coarse"]
    find_plugins.cache_clear()
    load_plugin.cache_clear()
    assert "coarse" not in hg.MECHANISMS
    again = hg.load(path)
    assert again.count(x0=(0, 2)) == release.count(x0=(0, 2))
    assert "This version of Hushgram does not know coarse" in again.explain().replace("\n", " ")
    with pytest.raises(hg.UnknownMechanism, match="Unknown mechanism 'coarse'"):
        hg.publish(hg.Counts([5, 6]), epsilon=1, mechanism="coarse")


def test_loading_a_release_imports_no_plugin(site: Site) -> None:
    path = site.folder / "out.hush.parquet"
    hg.publish(hg.Counts([5, 6]), epsilon=1, mechanism="identity").save(path)
    site.install("loud", {"loud": "plugin_loud:Loud"}, plugin_loud="raise SystemExit('imported')")
    hg.load(path).count()
    assert "plugin_loud" not in sys.modules


BROKEN = {
    "a module that is missing": ("mine", "plugin_nowhere:Mine", "", "ModuleNotFoundError"),
    "a module that fails": ("mine", "plugin_mine:Mine", "1 / 0", "ZeroDivisionError: division"),
    "a module that exits": ("mine", "plugin_mine:Mine", "raise SystemExit(3)", "SystemExit: 3"),
    "a name that is missing": ("mine", "plugin_mine:Mine", "", "AttributeError"),
    "no class": ("mine", "plugin_mine:Mine", "Mine = 3", "is not a subclass of hushgram.Mechanism"),
    "another class": ("mine", "plugin_mine:Mine", "class Mine: pass", "is not a subclass"),
    "another name": ("mine", "plugin_mine:Coarse", COARSE, "its name is 'coarse'"),
    "an abstract class": (
        "mine", "plugin_mine:M", "from hushgram import Mechanism as M", "has no check"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_told_when_it_is_asked_for(site: Site, capsys: Any, kind: str) -> None:
    name, value, code, reason = BROKEN[kind]
    site.install("their-package", {name: value}, plugin_mine=code)
    assert list(hg.MECHANISMS) == [*BUILT_IN]
    assert name not in hg.MECHANISMS
    hg.publish(hg.Counts([5, 6]), epsilon=1, mechanism="identity")
    for ask in (
        lambda: hg.publish(hg.Counts([5, 6]), epsilon=1, mechanism=name),
        lambda: hg.MECHANISMS[name],
        lambda: hg.MECHANISMS.get(name),
    ):
        with pytest.raises(hg.PluginError) as caught:
            ask()
        assert (caught.value.name, caught.value.package) == (name, "their-package 1.0")
        assert "Cannot load mechanism 'mine' of their-package 1.0: " in str(caught.value)
        assert reason in str(caught.value)
    code_, out, _ = program(capsys, "mechanisms")
    assert code_ == 0
    assert "Cannot load mechanism 'mine' of their-package 1.0" in out


def test_a_built_in_mechanism_cannot_be_replaced(site: Site, capsys: Any) -> None:
    fake = COARSE.replace('"coarse"', '"hb"')
    site.install("impostor", {"hb": "plugin_fake:Coarse"}, plugin_fake=fake)
    assert hg.MECHANISMS["hb"] is BUILT_IN["hb"]
    assert list(hg.MECHANISMS) == [*BUILT_IN]
    assert "plugin_fake" not in sys.modules
    _, out, _ = program(capsys, "mechanisms")
    assert (
        "Cannot load mechanism 'hb' of impostor 1.0: a built-in mechanism already has this name"
        in out
    )


def test_two_packages_with_one_name(coarse: Site) -> None:
    coarse.install("another", {"coarse": "plugin_other:Coarse"}, plugin_other=COARSE)
    with pytest.raises(hg.PluginError, match=r"of another 1.0 and hushgram-coarse 1.0: both"):
        hg.MECHANISMS["coarse"]
    assert list(hg.MECHANISMS) == [*BUILT_IN]


def test_built_in_names_need_no_look_at_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hushgram.mechanisms.registry.load_plugin", pytest.fail)
    hg.publish(hg.Counts([5, 6]), epsilon=1, mechanism="identity")
