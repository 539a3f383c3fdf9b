from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from hushgram.errors import BadInput
from hushgram.trusted import noise
from hushgram.trusted.noise import digits, laplace
from hushgram.trusted.noise.exactexp import enclose

ALPHA = 1e-8
MIN, MAX = -(2**63), 2**63 - 1


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "scale",
    [
        Fraction(1, 3),
        Fraction(1),
        Fraction(10),
        Fraction(100),
        Fraction(12345, 7),
        Fraction(10**40 + 7, 10**37 + 9),
        Fraction(2**45 + 1, 3),
    ],
    ids=str,
)
def test_accepts_its_scale_and_rejects_two_percent_off(monkeypatch, goodness, scale, compiled):
    monkeypatch.setattr(laplace, "_compiling_pays", lambda size: compiled)
    sample = noise.discrete_laplace(scale, 600_000).tolist()
    assert goodness.p_value(sample, scale) > ALPHA
    assert goodness.p_value(sample, scale * Fraction(98, 100)) < ALPHA
    assert goodness.p_value(sample, scale * Fraction(102, 100)) < ALPHA


@pytest.mark.parametrize(
    "scale",
    [
        Fraction(10**60 + 1, 10**20 + 39),
        Fraction(10),
        *(
            pytest.param(scale, marks=pytest.mark.slow)
            for scale in (Fraction(2**70), Fraction(12345, 7))
        ),
    ],
    ids=str,
)
def test_wide_accepts_its_scale_and_rejects_another(goodness, scale):
    sample = noise.discrete_laplace_wide(scale, 40_000)
    assert all(type(k) is int for k in sample)
    assert goodness.p_value(sample, scale) > ALPHA
    assert goodness.p_value(sample, scale * Fraction(90, 100)) < ALPHA
    assert goodness.p_value(sample, scale * Fraction(110, 100)) < ALPHA


def test_low_bits_are_spread_evenly_at_a_large_scale():
    sample = noise.discrete_laplace(Fraction(2**45), 400_000)
    for shift in (0, 8, 16, 24, 31):
        seen = np.bincount((sample >> shift) & 255, minlength=256)
        assert stats.chisquare(seen).pvalue > ALPHA


def test_low_bits_of_wide_are_accepted_by_their_weight(script):
    """Proposal 15 of 16 passes below exp(-15/1000) and not above; then 3 is proposed."""
    weight = enclose(Fraction(15, 1000), 64)[0]
    script([15 << 60, weight - 2])
    assert laplace._low_part(4, Fraction(1000)) == 15
    script([15 << 60, weight + 3, 3 << 60, 0])
    assert laplace._low_part(4, Fraction(1000)) == 3


@pytest.mark.parametrize("proposal", [1, 2, 15])
def test_every_low_part_but_zero_may_be_refused(script, proposal):
    weight = enclose(Fraction(proposal, 1000), 64)[0]
    script([proposal << 60, weight + 3, 0, 0])
    assert laplace._low_part(4, Fraction(1000)) == 0


@pytest.mark.parametrize("compiled", [False, True])
def test_every_draw_lands_in_its_place(monkeypatch, compiled):
    """Across pieces, and where a word does not decide and the draw comes later."""
    size, piece, radix = 20, 8, digits.mixed_radix(Fraction(1000))
    words = np.random.default_rng(3).integers(0, 2**64, (len(radix.tables), size), dtype=np.uint64)
    for place, table in ((0, 0), (3, 1), (13, 0), (19, 1)):
        words[table, place] = radix.tables[table].thresholds[5]
    words[0, 7] = 2**64 - 1  # beyond the table of the top digit
    pieces = iter([words[:, start : start + piece] for start in range(0, size, piece)])

    def scripted(count):
        """A piece when a piece is asked for, one half when a single draw goes on."""
        half = np.array([1 << 63], dtype=np.uint64)
        return half if count == 1 else next(pieces).reshape(-1).copy()

    monkeypatch.setattr(laplace, "CHUNK", piece)
    monkeypatch.setattr(laplace, "_compiling_pays", lambda size: compiled)
    monkeypatch.setattr(laplace.entropy, "words", scripted)
    drawn = noise.discrete_laplace(Fraction(1000), size).tolist()
    assert drawn == [radix.draw(words[:, place].tolist()) for place in range(size)]
    assert all(drawn)


def test_wide_and_digits_agree():
    """Two algorithms, one law: a two-sample comparison in cells of one width."""
    scale = Fraction(1000)
    a = noise.discrete_laplace(scale, 60_000)
    b = np.array(noise.discrete_laplace_wide(scale, 60_000))
    edges = np.linspace(-5000, 5000, 41)
    table = np.array([np.histogram(np.clip(s, -4999, 4999), edges)[0] for s in (a, b)])
    assert stats.chi2_contingency(table).pvalue > ALPHA


def test_tiny_scale_is_almost_always_zero():
    assert not noise.discrete_laplace(Fraction(1, 1000), 100_000).any()
    assert set(noise.discrete_laplace_wide(Fraction(1, 10**9), 100)) == {0}


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1000)])
def test_draws_are_independent_of_the_one_before(scale):
    sample = np.sign(noise.discrete_laplace(scale, 200_000))
    table = np.zeros((3, 3))
    np.add.at(table, (sample[:-1:2] + 1, sample[1::2] + 1), 1)
    assert stats.chi2_contingency(table).pvalue > ALPHA


@pytest.mark.parametrize(
    ("bits", "words"), [(0, 1), (6, 1), (7, 2), (18, 2), (30, 3), (54, 5), (58, 6), (62, 6)]
)
def test_at_most_six_words_a_draw(counted, bits, words):
    noise.discrete_laplace(Fraction(2**bits), 400)
    assert sum(counted) / 400 <= words
    counted.clear()
    noise.discrete_laplace_wide(Fraction(2**bits), 400)
    assert sum(counted) / 400 <= 3.2


def test_huge_scales_saturate_and_do_not_wrap(goodness):
    sample = noise.discrete_laplace(Fraction(2**70), 2000)
    assert sample.dtype == np.int64
    assert {MIN, MAX} <= set(sample.tolist())
    inside = np.count_nonzero((sample > MIN) & (sample < MAX))
    assert inside < 100
    wide = noise.discrete_laplace_wide(Fraction(2**70), 2000)
    assert max(abs(k) for k in wide) > 2**70
    assert np.ptp(np.sign(noise.discrete_laplace(Fraction(10**400), 50))) == 2


@pytest.mark.parametrize("size", [0, 1, 5, 64, 65_536, 65_537])
def test_sizes(size):
    draws = noise.discrete_laplace(Fraction(5), size)
    assert draws.shape == (size,)
    assert draws.dtype == np.int64
    assert len(noise.discrete_laplace_wide(Fraction(5), size % 100)) == size % 100


@pytest.mark.parametrize("draw", [noise.discrete_laplace, noise.discrete_laplace_wide])
def test_bad_input_names_the_value(draw):
    with pytest.raises(BadInput, match="Found -3/2"):
        draw(Fraction(-3, 2), 1)
    with pytest.raises(BadInput, match=r"positive\. Found 0"):
        draw(Fraction(0), 1)
    for size in (-1, -4):
        with pytest.raises(BadInput, match=f"Found {size}"):
            draw(Fraction(1), size)
    with pytest.raises(BadInput, match=r"0\.1 \(float\)"):
        draw(0.1, 1)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(10), Fraction(1000)])
def test_variance_is_the_series(scale):
    k = np.arange(int(60 * scale) + 60)
    mass = np.exp(-k / float(scale))
    expected = 2 * np.sum(mass * k * k) / (2 * mass.sum() - 1)
    assert math.isclose(noise.variance(scale), expected, rel_tol=1e-9)


def test_variance_at_the_extremes():
    assert noise.variance(Fraction(1, 10**400)) == 0.0
    assert 0 < noise.variance(Fraction(1, 500)) < 1e-200
    assert math.isclose(noise.variance(Fraction(2**70)), 2.0**141)
    assert math.isclose(noise.variance(Fraction(10**150)), 2e300)
    assert noise.variance(Fraction(10**400)) == math.inf
    with pytest.raises(BadInput, match="Found 0"):
        noise.variance(Fraction(0))


def test_variance_is_what_the_sampler_has():
    sample = noise.discrete_laplace(Fraction(7, 2), 400_000).astype(float)
    expected = noise.variance(Fraction(7, 2))
    assert abs(np.mean(sample**2) / expected - 1) < 6 * math.sqrt(5 / 400_000)


EDGES = [MIN, MIN + 1, -(2**62), -(2**62) + 1, -1, 0, 1, 2**62 - 1, 2**62, MAX - 1, MAX]


@given(
    st.lists(
        st.tuples(
            st.integers(MIN, MAX) | st.sampled_from(EDGES),
            st.integers(MIN, MAX) | st.integers(-(2**80), 2**80) | st.sampled_from(EDGES),
        )
    )
)
@example([(5, 2**70), (5, -(2**70)), (MAX, MIN - 1), (MIN, MAX + 1)])
def test_the_exact_sum_is_cut_not_the_draw(pairs):
    counts = np.array([count for count, _ in pairs], dtype=np.int64)
    draws, beyond = np.zeros(len(pairs), dtype=np.int64), {}
    for place, (_, draw) in enumerate(pairs):
        laplace._put(draws, beyond, place, draw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(laplace, "_draws", lambda scale, size: (draws, beyond))
        total = noise.add_discrete_laplace(counts, Fraction(1))
    assert total.dtype == np.int64
    assert total.tolist() == [min(max(count + draw, MIN), MAX) for count, draw in pairs]


def test_a_sum_that_wraps_into_all_ones_is_cut_too():
    """The one pair of terms that both differ from their wrapped sum in every bit."""
    third = (2**64 - 1) // 3
    sums = laplace._saturating_sum(np.array([third, -third]), np.array([third, -third]))
    assert sums.tolist() == [MAX, MIN]


def test_a_draw_beyond_64_bits_does_not_show_the_count():
    """The attack: a draw cut to -2^63 and then added gives count - 2^63, the count in clear."""
    counts = np.array([123_456] * 400)
    noisy = noise.add_discrete_laplace(counts, Fraction(2**66))
    assert MIN in noisy
    assert MAX in noisy
    assert MIN + 123_456 not in noisy


def test_counts_at_the_end_of_64_bits_stay_there():
    full = np.full(1000, MAX, dtype=np.int64)
    noisy = noise.add_discrete_laplace(full, Fraction(10))
    assert (noisy > MAX - 1000).all()
    assert (noisy == MAX).mean() > 0.4


def test_small_requests_do_not_import_numba():
    code = (
        "import sys; from fractions import Fraction as F; from hushgram.trusted import noise;"
        "noise.discrete_laplace(F(10), 100_000); noise.discrete_laplace_wide(F(10), 3);"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_compiled_loops_are_used_where_they_pay(monkeypatch):
    """From 4096 draws on where numba is there; it is imported for 4 million, not for fewer."""
    monkeypatch.setitem(sys.modules, "numba", sys)
    assert [laplace._compiling_pays(size) for size in (4095, 4096, 2**22)] == [False, True, True]
    monkeypatch.delitem(sys.modules, "numba")
    assert [laplace._compiling_pays(size) for size in (4096, 2**22 - 1, 2**22)] == [
        False, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize(("size", "used"), [(4095, "_fill"), (4096, "_fill_compiled")])
def test_which_loop_draws(monkeypatch, size, used):
    monkeypatch.setitem(sys.modules, "numba", sys)
    asked = []
    for name in ("_fill", "_fill_compiled"):
        monkeypatch.setattr(laplace, name, lambda *_, name=name: (asked.append(name), ())[1])
    laplace._draws(Fraction(3), size)
    assert asked == [used]


def test_words_are_asked_for_a_piece_at_a_time(counted, monkeypatch):
    monkeypatch.setattr(laplace, "_fill", lambda *_: ())
    monkeypatch.setattr(laplace, "_fill_compiled", lambda *_: ())
    laplace._draws(Fraction(1000), 2**17 + 5)
    assert counted == [2**17, 2**17, 10]


def test_draws_beyond_64_bits_are_kept_apart(monkeypatch):
    """Each in its place, and none that fits."""
    draws = [MIN, MIN - 1, MAX, MAX + 1, 5, -(2**80)]
    monkeypatch.setattr(laplace, "_fill", lambda *_: enumerate(draws))
    out, beyond = laplace._draws(Fraction(3), 6)
    assert beyond == {1: MIN - 1, 3: MAX + 1, 5: -(2**80)}
    assert out[[0, 2, 4]].tolist() == [MIN, MAX, 5]
    monkeypatch.setattr(laplace, "discrete_laplace_wide", lambda *_: draws)
    out, beyond = laplace._draws(Fraction(2**70), 6)
    assert beyond == {1: MIN - 1, 3: MAX + 1, 5: -(2**80)}
    assert out[[0, 2, 4]].tolist() == [MIN, MAX, 5]


def test_sums_with_draws_beyond_64_bits_are_exact_before_they_are_cut(monkeypatch):
    draws = {0: 2**63, 1: 2**63, 2: -(2**63) - 1, 3: -(2**63) - 1}
    monkeypatch.setattr(laplace, "_draws", lambda *_: (np.zeros(4, dtype=np.int64), draws))
    values = np.array([-5, 5, 5, -5])
    assert noise.add_discrete_laplace(values, Fraction(1)).tolist() == [MAX - 4, MAX, MIN + 4, MIN]
    assert noise.discrete_laplace(Fraction(1), 4).tolist() == [MAX, MAX, MIN, MIN]
