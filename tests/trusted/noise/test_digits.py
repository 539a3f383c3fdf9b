"""The tables against another library's arithmetic, and word by word."""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import log

import numpy as np
import pytest

from hushgram.trusted.noise import digits
from hushgram.trusted.noise.digits import CumulativeTable, LowDigit, MixedRadix, TopDigit
from hushgram.trusted.noise.laplace import _fill, _fill_compiled

LAST = (1 << 64) - 1

SCALES = [
    Fraction(1, 1000),
    Fraction(1, 3),
    Fraction(1),
    Fraction(10),
    Fraction(64),
    Fraction(100),
    Fraction(12345, 7),
    Fraction(10**40 + 7, 10**37 + 9),
    Fraction(2**31 + 1, 3),
    Fraction(2**58),
]
LAWS = [
    TopDigit(Fraction(2), Fraction(2)),
    TopDigit(Fraction(3), Fraction(3)),
    TopDigit(Fraction(8, 7), Fraction(1, 7)),
    TopDigit(Fraction(3, 2), Fraction(1, 10**20)),
    LowDigit(Fraction(1, 10), 3),
    LowDigit(Fraction(2), 2),
    LowDigit(Fraction(1, 10**20), 4),
]


@pytest.fixture
def cumulative(exp100):
    """P(· ≤ k) to 100 digits, straight from the formula of the mass function."""

    def value(law: digits.Law, k: int) -> Decimal:
        x = exp100(law.rate)
        if isinstance(law, LowDigit):
            return (1 - x ** (k + 1)) / (1 - x ** (law.size + 1))
        assert isinstance(law, TopDigit)
        r = exp100(law.step)
        t, s = divmod(k, 2)
        before = 1 - x**t
        return before + (1 - x) * x**t * (1 if s == 0 else 1 + r) / (1 + r)

    with localcontext() as context:
        context.prec = 110
        yield value


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_thresholds_equal_independent_ones(cumulative, scale):
    for table in digits.mixed_radix(scale).tables:
        assert table.size == table.law.size
        for k in {*range(0, table.size, 97), *range(min(8, table.size)), table.size - 1}:
            exact = cumulative(table.law, k) * 2**64
            # Decimal rounds 1 - 10**-434 to 1; a cumulative probability is less.
            floor = min(int(exact.to_integral_value(ROUND_FLOOR)), LAST)
            assert int(table.thresholds[k]) == floor


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_enclosures_hold_at_every_precision(cumulative, law):
    table = CumulativeTable(law)
    for k in range(0, table.size, 1 + table.size // 20):
        exact = cumulative(law, k)
        for precision in (8, 64, 128, 200):
            low, high = table.enclose(k, precision)
            assert low <= exact * 2**precision <= high
            assert high - low <= 3


@pytest.mark.parametrize(
    "law", [TopDigit(Fraction(1, 5), Fraction(1, 5)), LowDigit(Fraction(1), 6)]
)
def test_thresholds_take_the_precision_they_need(monkeypatch, law):
    plenty = CumulativeTable(law).thresholds
    monkeypatch.setattr(digits, "_guard", lambda law: 2)
    assert CumulativeTable(law).thresholds.tolist() == plenty.tolist()


@pytest.mark.parametrize("low", [0, 3, 7])
@pytest.mark.parametrize("scale", [Fraction(10), Fraction(7, 3)])
def test_digits_compose_to_the_discrete_laplace_law(exp100, cumulative, scale, low):
    """P(sign, top) · P(digit) is the mass function, for any place of the cut."""
    signed = TopDigit((1 << low) / scale, 1 / scale)
    digit = LowDigit(1 / scale, low)
    r = exp100(1 / scale)

    def mass(law, k):
        return cumulative(law, k) - (cumulative(law, k - 1) if k else 0)

    for value in range(-40, 41):
        magnitude, sign = (value, 0) if value >= 0 else (~value, 1)
        top, rest = divmod(magnitude, 1 << low)
        found = mass(signed, 2 * top + sign) * (mass(digit, rest) if low else 1)
        expected = (1 - r) / (1 + r) * r ** abs(value)
        assert abs(found - expected) < Decimal("1e-95")


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_word_of_eight_bits(cumulative, script, exhausted, law):
    """Enumerate all words, with the words that follow an undecided one, three deep.

    What the words decide must bound each probability from below, and what is still undecided
    must be all that is missing.
    """
    table = CumulativeTable(law, width=8)
    decided: dict[int, Fraction] = defaultdict(Fraction)
    prefixes: list[tuple[int, ...]] = [()]
    for depth in range(1, 4):
        undecided = []
        for words in ((*prefix, word) for prefix in prefixes for word in range(256)):
            script([w << 56 for w in words[1:]])
            try:
                decided[table.locate(words[0])] += Fraction(1, 256**depth)
            except exhausted:
                undecided.append(words)
        prefixes = undecided
    open_mass = Fraction(len(prefixes), 256**3)
    assert sum(decided.values()) + open_mass == 1
    assert open_mass <= Fraction(4 * (table.size + 1), 256**3)
    for k in range(table.size + 1):
        at_most = cumulative(law, k) if k < table.size else Decimal(1)
        exact = at_most - (cumulative(law, k - 1) if k else 0)
        slack = Decimal("1e-100")
        floor = Decimal(decided[k].numerator) / decided[k].denominator
        assert floor - slack <= exact
        assert exact <= floor + Decimal(open_mass.numerator) / open_mass.denominator + slack


def test_a_word_on_a_threshold_is_resolved_both_ways(script, cumulative):
    table = digits.mixed_radix(Fraction(10)).tables[0]
    for k in (0, 1, 17, 100, 400):
        word = int(table.thresholds[k])
        beyond = int(cumulative(table.law, k) * 2**128) - (word << 64)
        script([beyond - 3])
        assert table.locate(word) == k
        script([beyond + 3])
        assert table.locate(word) == k + 1


def test_a_word_on_many_thresholds_is_resolved_among_all(script, cumulative):
    """A scale this small squeezes every threshold onto the last word."""
    table = digits.mixed_radix(Fraction(1, 50)).tables[0]
    assert table.thresholds.tolist() == [LAST, LAST]
    script([0])
    assert table.locate(LAST) == 0
    between = int((cumulative(table.law, 0) + cumulative(table.law, 1)) / 2 * 2**256)
    words = [between >> shift & LAST for shift in (192, 128, 64, 0)]
    assert words[0] == LAST
    script(words[1:])
    assert table.locate(LAST) == 1


def test_beyond_the_table_it_begins_again(script):
    table = digits.mixed_radix(Fraction(10)).tables[0]
    script([LAST - 5, 0])
    assert table.thresholds[-1] < LAST - 5
    assert digits.draw_top(table, LAST - 5) == (0, 2 * table.size // 2)


@pytest.mark.parametrize("fill", [_fill, _fill_compiled])
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_batches_agree_with_single_draws(monkeypatch, fill, scale):
    """On random words, on every kind of undecided word, and on the extremes."""
    radix = digits.mixed_radix(scale)
    rng = np.random.default_rng(4)
    words = rng.integers(0, LAST, (len(radix.tables), 3000), dtype=np.uint64, endpoint=True)
    for j, table in enumerate(radix.tables):
        words[j, 100 * j : 100 * j + 50] = rng.choice(table.thresholds, 50)
        words[j, 100 * j + 50] = LAST
        words[j, 100 * j + 51] = 0
        words[j, 100 * j + 52] = table.thresholds[-1]

    def reseed() -> None:
        more = np.random.default_rng(5)
        monkeypatch.setattr(
            digits.entropy,
            "words",
            lambda n: more.integers(0, LAST, n, dtype=np.uint64, endpoint=True),
        )

    reseed()
    out = np.empty(words.shape[1], dtype=np.int64)
    for place, draw in fill(radix, words, out):
        out[place] = min(max(draw, -(2**63)), 2**63 - 1)
    reseed()
    # Single draws that use up no further words do not disturb those that do.
    singly = [radix.draw(column.tolist()) for column in words.T]
    assert out.tolist() == [min(max(k, -(2**63)), 2**63 - 1) for k in singly]


def test_draw_puts_every_digit_in_its_place(script):
    scale = Fraction(2**30)
    radix = digits.mixed_radix(scale)
    assert list(radix.shifts) == [24, 0, 12]

    def word(table: CumulativeTable, k: int) -> int:
        return int(table.thresholds[k - 1]) + 1

    words = [word(radix.tables[0], 7), word(radix.tables[1], 5), word(radix.tables[2], 9)]
    assert radix.draw(words) == ~((3 << 24) + 5 + (9 << 12))
    words[0] = word(radix.tables[0], 8)
    assert radix.draw(words) == (4 << 24) + 5 + (9 << 12)


@pytest.mark.parametrize(
    ("scale", "tables"),
    [(1, 1), (64, 1), (65, 2), (2**18, 2), (2**18 + 1, 3), (2**30, 3), (2**54, 5), (2**58, 6)],
)
def test_number_of_tables(scale, tables):
    radix = digits.mixed_radix(Fraction(scale))
    assert len(radix.tables) == tables
    assert isinstance(radix, MixedRadix)
    assert all(table.size <= 4096 for table in radix.tables)
    top = (radix.tables[0].size // 2 - 1 + 1 << radix.shifts[0]) - 1
    assert top < 2**63


def chances(table: digits.CumulativeTable) -> list[float]:
    """The probability of each number that a table decides, from differences of its thresholds."""
    ends = [0, *table.thresholds.tolist(), 2**64]
    return [(after - before) / 2**64 for before, after in pairwise(ends)]


@pytest.mark.parametrize(
    "scale", [Fraction(65), Fraction(1000), Fraction(12345, 7), Fraction(2**20)], ids=str
)
def test_digits_together_have_the_law(scale):
    """Each number is as much likelier than the next as it should be, also where digits carry:
    tests by statistics are too coarse for that."""
    radix = digits.mixed_radix(scale)
    signed, *lower = [chances(table) for table in radix.tables]
    top = [sum(signed[2 * place : 2 * place + 2]) for place in range(len(signed) // 2)]
    low, *shifts = radix.shifts

    def weight(number: int) -> float:
        found = top[number >> low]
        for digit, shift in zip(lower, shifts, strict=True):
            found *= digit[(number >> shift) % len(digit)]
        return found

    near = [*range(40), *(2**bit - 1 for bit in range(1, low + 4)), 2**low * 5 - 1, 2**low * 5]
    for number in near:
        lost = log(weight(number)) - log(weight(number + 1))
        assert lost == pytest.approx(1 / float(scale), rel=1e-6)
