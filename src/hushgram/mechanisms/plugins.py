"""Mechanisms of other packages, found by their entry points.

A package that declares

    [project.entry-points."hushgram.mechanisms"]
    mine = "package.module:Mine"

makes ``mechanism="mine"`` work wherever Hushgram takes a mechanism's name. Its module is imported
when the name is first used. Names of built-in mechanisms are never looked up here.
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from hushgram.base.text import shorten
from hushgram.errors import PluginError
from hushgram.mechanisms.base import Mechanism

GROUP = "hushgram.mechanisms"


@cache
def find_plugins() -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of each name, sorted by name, without importing them."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in sorted(set(entry_points(group=GROUP)), key=lambda point: point.name):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


@cache
def load_plugin(name: str) -> type[Mechanism]:
    """The class behind an entry point. KeyError if no package declares the name."""
    points = find_plugins()[name]
    if len(points) > 1:
        packages = " and ".join(sorted(package_of(point) for point in points))
        raise PluginError(name, packages, "both packages declare it. Uninstall one of them")
    (point,) = points
    try:
        loaded: object = point.load()
    except (Exception, SystemExit) as error:
        why = shorten(f"{type(error).__name__}: {error}", 300)
        raise PluginError(name, package_of(point), f"{point.value} failed with {why}") from error
    problem = find_problem(loaded, name)
    if problem:
        raise PluginError(name, package_of(point), f"{point.value} {problem}")
    assert isinstance(loaded, type)
    assert issubclass(loaded, Mechanism)
    return loaded


def find_problem(loaded: object, name: str) -> str:
    """Why an object cannot be registered under a name; empty if it can."""
    if not (inspect.isclass(loaded) and issubclass(loaded, Mechanism)):
        return "it is not a subclass of hushgram.Mechanism"
    if inspect.isabstract(loaded):
        return "it has no check or no estimate method"
    if getattr(loaded, "name", None) != name:
        found = getattr(loaded, "name", None)
        return f"its name is {found!r}, which must be the name of the entry point"
    return ""


def package_of(point: EntryPoint) -> str:
    """The package that declares an entry point, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"
