"""The mechanisms by name: those of Hushgram, and those of installed packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from hushgram.base.exact import short_repr
from hushgram.base.text import did_you_mean
from hushgram.errors import BadInput, PluginError, UnknownMechanism
from hushgram.mechanisms import catalogue
from hushgram.mechanisms.auto import Auto
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.parameters import parse_parameters
from hushgram.mechanisms.plugins import find_plugins, load_plugin, package_of

BUILT_IN: dict[str, type[Mechanism]] = {
    Auto.name: Auto,
    **{
        kind.name: kind
        for kind in vars(catalogue).values()
        if isinstance(kind, type) and issubclass(kind, Mechanism)
    },
}


class Registry(Mapping[str, type[Mechanism]]):
    """The mechanisms by name.

    Those of Hushgram come first and cannot be replaced. Those of other packages follow
    (`hushgram.mechanisms.plugins`); one that cannot be loaded is left out, and raises PluginError
    only if it is requested by name.
    """

    def __getitem__(self, name: str) -> type[Mechanism]:
        return BUILT_IN[name] if name in BUILT_IN else load_plugin(name)

    def __iter__(self) -> Iterator[str]:
        yield from BUILT_IN
        refused = self.plugin_errors()
        yield from (name for name in find_plugins() if name not in refused)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    def find(self, name: str) -> type[Mechanism] | None:
        """The class, or None if there is none that can be loaded."""
        try:
            return self[name]
        except (KeyError, PluginError):
            return None

    def plugin_errors(self) -> dict[str, PluginError]:
        """The mechanisms of other packages that cannot be used, by name, and why."""
        errors: dict[str, PluginError] = {}
        for name, points in find_plugins().items():
            if name in BUILT_IN:
                why = "a built-in mechanism already has this name. Choose another name"
                errors[name] = PluginError(name, package_of(points[0]), why)
                continue
            try:
                load_plugin(name)
            except PluginError as error:
                errors[name] = error
        return errors


MECHANISMS = Registry()


def as_mechanism(mechanism: str | Mechanism, workload: str | None = None) -> Mechanism:
    """Convert ``mechanism=`` to a `Mechanism`. ``"auto"`` chooses for the workload."""
    if isinstance(mechanism, str):
        if mechanism == Auto.name and workload is not None:
            return Auto(workload=workload)
        mechanism = parse_mechanism(mechanism)
    if not isinstance(mechanism, Mechanism):
        raise BadInput(f"A mechanism must be a name or an instance. Found {short_repr(mechanism)}.")
    if workload is not None and not (
        isinstance(mechanism, Auto) and mechanism.workload == workload
    ):
        raise BadInput(
            f'workload={short_repr(workload)} is only used by mechanism="auto", but '
            f"{mechanism.name} was given. Leave out one of the two."
        )
    return mechanism


def parse_mechanism(text: str) -> Mechanism:
    """The mechanism with a name, and optionally with parameters.

    >>> parse_mechanism("hb").name
    'hb'
    >>> parse_mechanism("structure-first:bound=50,share=1/3").parameters()
    {'groups': None, 'bound': 50, 'share': '1/3'}
    """
    name, colon, rest = text.partition(":")
    try:
        kind = MECHANISMS[name]
    except KeyError:
        known = tuple(MECHANISMS)
        raise UnknownMechanism(name, known, did_you_mean(name, known)) from None
    given = parse_parameters(rest) if colon else {}
    known = tuple(field.name for field in fields(kind))
    for field in given:
        if field not in known:
            raise BadInput(
                f"{name} has no parameter {field!r}.{did_you_mean(field, known)} "
                f"Parameters: {', '.join(known) or 'none'}."
            )
    return kind(**given)
