from __future__ import annotations

import ast
import os
import warnings
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import hushgram.trusted
from hushgram.trusted import noise
from hushgram.trusted.noise import entropy
from hushgram.trusted.noise.exactexp import enclose

TRUSTED = Path(hushgram.trusted.__file__).parent


def test_words_are_64_bits_wide():
    words = entropy.words(1000)
    assert words.dtype == np.uint64
    assert np.bitwise_or.reduce(words) == np.iinfo(np.uint64).max
    assert np.bitwise_and.reduce(words) == 0


@pytest.mark.parametrize("count", [0, 1, 7, 64, 65, 1000])
def test_bits_fill_their_width(count):
    draws = [entropy.bits(count) for _ in range(100)]
    assert all(0 <= draw < 1 << count for draw in draws)
    if count:
        assert any(draw >> (count - 1) for draw in draws)
        assert any(draw & 1 for draw in draws)


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 64, 100])
def test_below_is_uniform(bound):
    seen = np.bincount([entropy.below(bound) for _ in range(20_000)], minlength=bound)
    assert seen.size == bound
    assert bound == 1 or stats.chisquare(seen).pvalue > 1e-7


def test_below_rejects_rather_than_folds(script):
    script([7 << 61, 5 << 61, 4 << 61])
    assert entropy.below(5) == 4


def test_a_comparison_reveals_bits_until_it_is_certain(script, counted):
    constant = partial(enclose, Fraction(1))
    begins = enclose(Fraction(1), 64)[0]
    continued = enclose(Fraction(1), 128)[0] - (begins << 64)
    for last, expected in [(continued - 1, True), (continued + 2, False)]:
        script([last])
        u = entropy.Uniform(begins)
        assert u.below(constant) is expected
        assert u.width == 128


def test_a_comparison_is_as_likely_as_the_number_says():
    hits = sum(entropy.Uniform().below(partial(enclose, Fraction(1))) for _ in range(40_000))
    assert stats.binomtest(hits, 40_000, np.exp(-1)).pvalue > 1e-7


@pytest.mark.system_randomness
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_forked_children_draw_differently():
    noise.discrete_laplace(Fraction(10**6), 8)
    draws = set()
    for _ in range(3):
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of other tests
            child = os.fork()
        if child == 0:
            os.write(write, noise.discrete_laplace(Fraction(10**6), 8).tobytes())
            os._exit(0)
        os.close(write)
        draws.add(os.read(read, 64))
        os.close(read)
        os.waitpid(child, 0)
    draws.add(noise.discrete_laplace(Fraction(10**6), 8).tobytes())
    assert len(draws) == 4


GENERATORS = {"random"}


def _random_modules(source: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [f"{node.module}"]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        else:
            continue
        found |= {n for n in names if n.removeprefix("numpy.").removeprefix("np.") in GENERATORS}
    return found


def test_no_seeded_generator_in_the_trusted_zone():
    files = sorted(TRUSTED.rglob("*.py"))
    assert files
    assert {f.name: n for f in files if (n := _random_modules(f.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import random",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import numpy.random",
        "np.random.normal()",
    ],
)
def test_that_scan_sees_one(source):
    assert _random_modules(source)


PROVED = {
    "nested_kernel.py": None,
    "nested.py": {"LIGHT", "DOUBT", "NestedLaw", "decays_for", "lift", "spread_each", "sinh_ratio"},
}
"""Where doubles are the exact numbers that they are, and no draw depends on how one was rounded:
steps 3 and 4 of ``docs/proofs/nested-counts.md``. All of a file, or some of its parts."""


def test_no_float_but_in_public_mathematics():
    for file in (TRUSTED / "noise").glob("*.py"):
        proved = PROVED.get(file.name, set())
        if proved is None:
            continue
        allowed = {"variance", "double_above"} | proved
        tree = ast.parse(file.read_text("utf-8"))
        for part in tree.body:
            names = [getattr(one, "id", "") for one in getattr(part, "targets", [])]
            if allowed & {getattr(part, "name", ""), *names}:
                continue
            for node in ast.walk(part):
                assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
                assert not (isinstance(node, ast.Name) and node.id == "float")
