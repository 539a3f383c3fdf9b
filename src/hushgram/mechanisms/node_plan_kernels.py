"""Compiled: the loops of `node_plan`."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushgram.base.compiled import compiled

SPLIT, COUNTED, LEAF = 0, 1, 2
"""What happens to a node: it is cut and not counted, cut and counted, or counted and not cut."""

LEAST = 1e-12
"""No squared length is taken for less."""


@compiled()
def fill_unevenness(right: Any, is_known: Any, means: Any, variances: Any, kinds: Any,
                    transitions: Any, unevenness: Any, found: Any) -> None:  # fmt: skip
    """The expected square of what lower halves have more than half; means, squares and kinds of
    nodes that are not known are filled in on the way down."""
    squares = means**2 + variances
    own = np.empty(kinds.shape[1])
    for v in range(len(right)):
        if right[v] == 0:
            continue
        a, b = v + 1, right[v]
        if is_known[a]:
            shift = means[a] - means[v] / 2
            spread = (variances[a] + variances[b]) / 2 - variances[v] / 4
            found[v] = shift * shift + max(spread, 0.0)
            continue
        ratio = 0.0
        for kind in range(len(own)):
            own[kind] = 0.0
            for above in range(len(own)):
                own[kind] += kinds[v, above] * transitions[above, kind]
            ratio += own[kind] * unevenness[kind]
        found[v] = ratio * squares[v] + max(means[v], 0.0) / 4 * (1 - own[0])
        for half in (a, b):
            means[half] = means[v] / 2
            squares[half] = squares[v] / 4 + found[v]
            kinds[half] = own


@compiled()
def choose(right: Any, parents: Any, depths: Any, lengths: Any, alike: Any, uneven: Any,
           budgets: Any, may_end: bool, choice: Any) -> None:  # fmt: skip
    """For each node, and each node above it that may be the nearest counted one (by its depth + 1;
    0 for none), what is best. From the leaves upwards, with a stack of halves that wait: what they
    cost in noise, and in unevenness. Where a tree begins, nothing waits."""
    deepest = depths.max() + 2
    noise, bias = np.empty((2, (deepest + 1) * deepest))
    own, roots = np.zeros((2, deepest * deepest))  # of the last node of each depth
    last, choices = np.full(deepest, -1), choice.reshape(-1)
    waiting = 0
    for v in range(len(right) - 1, -1, -1):
        depth, at = depths[v], depths[v] * deepest
        if alike[v] != last[depth]:
            find_own(v, depth, parents, lengths, own, roots, at)
            last[depth] = alike[v]
        if right[v] == 0:
            end_each(depth, own, at, noise, bias, waiting * deepest, choices, v * deepest)
            waiting = waiting + 1 if parents[v] >= 0 else 0
            continue
        waiting -= 1
        low, high = waiting * deepest, (waiting - 1) * deepest  # the lower half came last
        price = 2 / budgets[v] ** 2 if may_end else 1.0
        end = uneven[v] if may_end else np.inf
        choose_each(depth, own, roots, at, price, end, noise, bias, low, high, choices, v * deepest)
        if parents[v] < 0:
            waiting = 0


@compiled(forceinline=True)
def end_each(depth: int, own: Any, at: int, noise: Any, bias: Any, to: int, choice: Any,
             row: int) -> None:  # fmt: skip
    """What a leaf costs, for each node above it."""
    for a in range(depth + 1):
        n = np.uint64(to + a)
        noise[n], bias[n], choice[np.uint64(row + a)] = own[np.uint64(at + a)], 0.0, LEAF


@compiled(error_model="numpy", forceinline=True)
def choose_each(depth: int, own: Any, roots: Any, at: int, price: float, uneven: float, noise: Any,
                bias: Any, low: int, high: int, choice: Any, row: int) -> None:  # fmt: skip
    """What is best for a node, for each above it; its costs take the place of the upper half's.
    Unsigned positions let the compiler work on several at once."""
    below = noise[low + depth + 1] + noise[high + depth + 1]
    below_bias = bias[low + depth + 1] + bias[high + depth + 1]
    below_root = np.cbrt(below)
    for a in range(depth + 1):
        i, j, n = np.uint64(low + a), np.uint64(high + a), np.uint64(at + a)
        split, split_bias = noise[i] + noise[j], bias[i] + bias[j]
        counted = (roots[n] + below_root) ** 3
        is_counted = counted * price + below_bias < split * price + split_bias
        best = counted if is_counted else split
        best_bias = below_bias if is_counted else split_bias
        is_leaf = own[n] * price + uneven < best * price + best_bias
        noise[j] = own[n] if is_leaf else best
        bias[j] = uneven if is_leaf else best_bias
        choice[np.uint64(row + a)] = LEAF if is_leaf else COUNTED if is_counted else SPLIT


@compiled()
def find_own(v: int, depth: int, parents: Any, lengths: Any, own: Any, roots: Any,
             at: int) -> None:  # fmt: skip
    """The squared length that a node has more than each above it, and its cubic root."""
    above = v
    for a in range(depth, -1, -1):
        above = parents[above]
        own[at + a] = max(lengths[v] - (lengths[above] if a > 0 else 0.0), LEAST)
        roots[at + a] = np.cbrt(own[at + a])


@compiled()
def number_alike(parents: Any, depths: Any, lengths: Any) -> Any:
    """A number for each node; nodes of a depth that have the same one have the same squared length,
    and so have those above them."""
    found = np.zeros(len(parents), np.int64)
    last = np.full(depths.max() + 1, -1)  # the last node of each depth
    count = 0
    for v in range(len(parents)):
        other, parent = last[depths[v]], parents[v]
        last[depths[v]] = v
        is_alike = other >= 0 and lengths[other] == lengths[v]
        if is_alike and (parent < 0 or found[parents[other]] == found[parent]):
            found[v] = found[other]
        else:
            found[v] = count
            count += 1
    return found


@compiled()
def fill_plan(right: Any, roots: Any, depths: Any, lengths: Any, uneven: Any, epsilon: float,
              rounds: int, shares: Any, is_leaf: Any) -> None:  # fmt: skip
    """The plan of all nodes. First nothing ends; then nodes may, with the budgets that were left
    for each in the round before."""
    count = len(right)
    parents = np.full(count, -1)
    for v in range(count):
        if right[v]:
            parents[v + 1] = parents[right[v]] = v
    below = np.zeros(count)  # what is lost if a node is not cut any further
    for v in range(count - 1, -1, -1):
        if right[v]:
            halves = max(lengths[v + 1] - lengths[v], 0.0) + max(
                lengths[right[v]] - lengths[v], 0.0
            )
            below[v] = below[v + 1] + below[right[v]] + halves * uneven[v]
    alike = number_alike(parents, depths, lengths)
    choice = np.empty((count, depths.max() + 2), np.int8)
    budgets = np.ones(count)
    weights = np.empty(count)
    for turn in range(rounds if epsilon > 0 else 1):
        choose(right, parents, depths, lengths, alike, below, budgets, turn > 0, choice)
        settle(right, depths, lengths, choice, weights, is_leaf)
        share(right, roots, weights, is_leaf, epsilon, shares, budgets)


@compiled()
def settle(right: Any, depths: Any, lengths: Any, choice: Any, weights: Any, is_leaf: Any) -> None:
    """What happens to each node, now that those above are known; ``weights`` holds its squared
    length where it is counted, 0 where it is not, and -1 below leaves."""
    nearest, length = np.zeros(len(right), np.int64), np.zeros(len(right))
    weights[:] = 0.0
    for v in range(len(right)):
        chosen = LEAF if weights[v] < 0 else choice[v, nearest[v]]
        is_leaf[v] = weights[v] == 0 and chosen == LEAF
        if weights[v] == 0 and chosen != SPLIT:
            weights[v] = max(lengths[v] - length[v], LEAST)
        if right[v]:
            for half in (v + 1, right[v]):
                weights[half] = -1.0 if chosen == LEAF else 0.0
                nearest[half] = depths[v] + 1 if chosen == COUNTED else nearest[v]
                length[half] = lengths[v] if chosen == COUNTED else length[v]


@compiled()
def share(right: Any, roots: Any, weights: Any, is_leaf: Any, epsilon: float, shares: Any,
          budgets: Any) -> None:  # fmt: skip
    """The best shares of what is left, upwards; and what is left at each node, downwards."""
    costs = np.zeros(len(right))
    for v in range(len(right) - 1, -1, -1):
        shares[v] = 0.0
        if is_leaf[v]:
            costs[v], shares[v] = weights[v], 1.0
        elif weights[v] == 0:
            costs[v] = costs[v + 1] + costs[right[v]]
        elif weights[v] > 0:
            below = np.cbrt(costs[v + 1] + costs[right[v]])
            own = np.cbrt(weights[v])
            costs[v], shares[v] = (own + below) ** 3, own / (own + below)
    for root in roots:
        budgets[root] = epsilon
    for v in range(len(right)):
        if right[v]:
            left = budgets[v] * (1 - shares[v]) if shares[v] < 1 else budgets[v]
            budgets[v + 1] = budgets[right[v]] = left


@compiled()
def fill_nested(right: Any, roots: Any, lengths: Any, bonus: float, lighter: Any, whole: int,
                weights: Any) -> None:  # fmt: skip
    """Weights of all nodes, 1 or more, which add up to ``whole`` on the way to every leaf. Cubic
    roots of costs are raised by a ``bonus`` for leaves, and ``lighter`` for roots, for their halves
    and for nodes whose halves are leaves."""
    count = len(right)
    own, costs, shares = np.empty(count), np.empty(count), np.ones(count)
    heights, left = np.zeros((2, count), np.int64)
    times = np.ones(count)
    for root in roots:
        own[root], left[root], times[root] = max(lengths[root], LEAST), whole, lighter[0]
        if right[root]:
            times[root + 1] = times[right[root]] = lighter[1]
    for v in range(count):
        if right[v]:
            for half in (v + 1, right[v]):
                own[half] = max(lengths[half] - lengths[v], LEAST)
    for v in range(count - 1, -1, -1):
        if right[v] == 0:
            costs[v] = bonus**3 * own[v]
            continue
        heights[v] = 1 + max(heights[v + 1], heights[right[v]])
        if heights[v] == 1:
            times[v] *= lighter[2]
        root, below = times[v] * np.cbrt(own[v]), np.cbrt(costs[v + 1] + costs[right[v]])
        costs[v], shares[v] = (root + below) ** 3, root / (root + below)
    for v in range(count):
        weights[v] = left[v]
        if right[v]:
            weights[v] = max(1, min(int(shares[v] * left[v]), left[v] - heights[v]))
            left[v + 1] = left[right[v]] = left[v] - weights[v]


@compiled()
def fill_weights(right: Any, roots: Any, shares: Any, whole: int, weights: Any) -> None:
    """Shares as whole weights, which add up to ``whole`` on the way to every leaf."""
    left = np.zeros(len(right), np.int64)
    for root in roots:
        left[root] = whole
    for v in range(len(right)):
        weights[v] = left[v] if right[v] == 0 else int(shares[v] * left[v])
        if right[v]:
            if weights[v] == left[v]:  # something must be left for what is below
                weights[v] = 0
            left[v + 1] = left[right[v]] = left[v] - weights[v]
