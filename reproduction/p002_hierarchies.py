"""Fig. 3 of paper 002: hierarchies and wavelets over a grid of 360 x 360. NONPRIVATE."""

from __future__ import annotations

from functools import partial

from hushgram.declare.axis import Floats
from hushgram.mechanisms.grid_hierarchy import GridHierarchy
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.uniform_grid import UniformGrid
from reproduction.drawing import candles
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.judged import every, format_mean, less, mean, times
from reproduction.p002_trials import EPSILONS, Trials, best_of, by_run, by_size, trials
from reproduction.points import SIZES

SIDE = 360
ON = ("checkin", "landmark")
TREES = ((2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2), (5, 2), (6, 2))
"""Branching and depth of the hierarchies."""

SMALL = 2.0
"""A benefit below this factor counts as quite small."""


def hierarchies(runs: int) -> PaperFinding:
    """Fig. 3: hierarchies over a grid."""
    tried = [trials(name, runs) for name in ON]
    found = {(one.name, epsilon): methods(one, epsilon) for one in tried for epsilon in EPSILONS}
    return PaperFinding(
        "Fig. 3: hierarchies and Privelet on 360 x 360 cells",
        "U_360 is `uniform-grid:m=360`, H_{b,d} is `grid-hierarchy` with `slices=360`, W_360 is "
        "`privelet` with wavelets on both axes, over 360 x 360 declared cells.",
        [claim for key in found for claim in claims(*key, found[key])],
        [noise_table(tried[0]), table(found)],
        [picture(found)],
    )


def methods(tried: Trials, epsilon: str) -> dict[str, Floats]:
    uniform = tried.uniform(epsilon)
    return {
        "UG best": uniform[best_of(uniform)],
        "U360": tried.relative("U360", UniformGrid(m=SIDE), epsilon),
        "W360": tried.wavelet(SIDE, epsilon),
        **{
            f"H{b},{d}": tried.relative(
                f"H{b},{d}", GridHierarchy(branching=b, depth=d, slices=SIDE), epsilon
            )
            for b, d in TREES
        },
    }


def privelet_headline(found: list[dict[str, Floats]]) -> Claim:
    """Check the claim that fails, over both sets and both ε."""
    judged = [less(by_run(one["W360"]), by_run(one["U360"])) for one in found]
    ratios = [float(one["W360"].mean() / one["U360"].mean()) for one in found]
    return Claim(
        "Privelet on 360 x 360 cells is clearly better than U_360",
        "on checkin and landmark, at both ε",
        f"{times(judged, 'settings')}; its error is {short(min(ratios))} to {short(max(ratios))} "
        "times as large",
        every(judged),
        WHY_PRIVELET,
    )


def privelet_claim(name: str, epsilon: str, found: dict[str, Floats]) -> Claim:
    """Check the claim that fails."""
    plain, wavelet = by_run(found["U360"]), by_run(found["W360"])
    return Claim(
        f"{name}, ε = {epsilon}: Privelet on 360 x 360 is clearly better than U_360",
        "W_360 < U_360",
        f"{format_mean(wavelet)} against {format_mean(plain)}: "
        f"{short(mean(wavelet) / mean(plain))} times as large",
        less(wavelet, plain),
        WHY_PRIVELET,
    )


WHY_PRIVELET = (
    "the noise alone, which does not depend on the data, shows it. On two axes of 360 cells, a "
    "row moves (1 + ⌈log₂ 360⌉)² = 100 wavelet contrasts by one, so each has noise of scale "
    "100/ε, while a cell of U_360 has 1/ε. What wavelets save in large sums, they lose in small "
    "ones: see the table of the noise under Fig. 3. Only the largest queries have less noise with "
    "wavelets, and those have the smallest relative errors anyway."
)


def claims(name: str, epsilon: str, found: dict[str, Floats]) -> list[Claim]:
    plain = by_run(found["U360"])
    trees = {f"H{b},{d}": by_run(found[f"H{b},{d}"]) for b, d in TREES}
    best = min(trees, key=lambda tree: mean(trees[tree]))
    ratio = mean(plain) / mean(trees[best])
    return [
        privelet_claim(name, epsilon, found),
        Claim(
            f"{name}, ε = {epsilon}: hierarchies somewhat improve on U_360",
            "H < U_360",
            f"best {best} {format_mean(trees[best])} against {format_mean(plain)}",
            less(trees[best], plain),
            "no tested reason.",
        ),
        Claim(
            f"{name}, ε = {epsilon}: the benefit of a hierarchy is quite small",
            f"less than a factor of {SMALL:g}",
            f"U_360 has {short(ratio)} times the error of {best}",
            ratio < SMALL,
        ),
    ]


def noise_table(tried: Trials) -> Numbers:
    """Return the noise that the releases state."""
    found = {
        "U360": tried.asked.noise_by_size(UniformGrid(m=SIDE), "1"),
        "W360": tried.asked.noise_by_size(Privelet(axes="ordered"), "1", tried.cells(SIDE)),
    }
    ratios = [wavelet / plain for plain, wavelet in zip(*found.values(), strict=True)]
    rows = [(name, *map(short, deviations)) for name, deviations in found.items()]
    rows.append(("W360 / U360", *map(short, ratios)))
    heads = ("", *(f"q{n + 1}" for n in range(SIZES)))
    title = (
        f"Standard deviation of the noise alone at ε = 1, by query size, in the box of {tried.name}"
    )
    return Numbers(title, heads, rows)


def table(found: dict[tuple[str, str], dict[str, Floats]]) -> Numbers:
    rows = [
        (name, epsilon, method, format_mean(by_run(errors)), *map(short, by_size(errors)))
        for (name, epsilon), methods_ in found.items()
        for method, errors in methods_.items()
    ]
    heads = ("set", "ε", "method", "mean", *(f"q{n + 1}" for n in range(SIZES)))
    return Numbers("Relative errors, and their means by query size", heads, rows)


def picture(found: dict[tuple[str, str], dict[str, Floats]]) -> Picture:
    panels = {
        f"{name}, ε = {epsilon}": {method: one.ravel() for method, one in methods_.items()}
        for (name, epsilon), methods_ in found.items()
    }
    return Picture(
        "002-fig3",
        "Fig. 3 on the stand-ins: hierarchies H_{b,d} and wavelets over a grid of 360 x 360 cells.",
        partial(candles, panels, "relative error"),
    )
