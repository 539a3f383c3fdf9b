"""The options of ``hushgram publish`` that describe one release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from hushgram.cli.options import (
    MECHANISM_HELP,
    AboutOptions,
    Outside,
    PaymentOptions,
    UnitOptions,
    WorkloadText,
)
from hushgram.cli.output import PROGRAM
from hushgram.errors import BadInput

if TYPE_CHECKING:
    from hushgram.declare.domain import Domain
    from hushgram.spending.publish import Options


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Axes, budget, mechanism and measures of one release, whom it protects and who publishes it.

    Axes and budget have no default, but a plan may give them instead.
    """

    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis", "-a", help="Column with public bounds, e.g. age=0..120. Repeat for more axes."
        ),
    ] = None
    outside: Outside = None
    epsilon: Annotated[
        str | None, typer.Option("--epsilon", "-e", help="Privacy budget, e.g. 1, 0.1 or 1/3.")
    ] = None
    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help=MECHANISM_HELP)] = "auto"
    workload: WorkloadText = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="A sum, mean or weighted-count, e.g. 'sum earnings 0:200000'. Can be repeated.",
        ),
    ] = None
    share: Annotated[
        str | None,
        typer.Option(
            "--share", help="Share of epsilon to spend on measures. Default: 1/2 for one measure."
        ),
    ] = None
    who: UnitOptions
    about: AboutOptions

    def parse(self, payment: PaymentOptions) -> tuple[Domain, Options]:
        """Return the domain and the keywords for `hushgram.publish`."""
        from hushgram.cli.grammar import parse_domain
        from hushgram.declare.measure_grammar import parse_measure

        if not self.axis or self.epsilon is None:
            raise missing("--epsilon" if self.axis else "--axis")
        domain = parse_domain(self.axis, self.outside or [])
        return domain, {
            "epsilon": self.epsilon,
            "mechanism": self.mechanism,
            "workload": self.workload,  # type: ignore[typeddict-item] # publish checks it
            "unit": self.who.unit,
            "neighbours": self.who.neighbours,
            "measures": [parse_measure(text) for text in self.measure or []],
            "share": self.share,
            "ledger": None,
            "about": self.about.as_about(),
            **payment.keywords(),
        }

    def refuse_with_plan(self) -> None:
        """Raise if options are given that the plan already sets, because they could contradict
        it."""
        typed = {
            "--axis": self.axis,
            "--epsilon": self.epsilon,
            "--outside": self.outside,
            "--workload": self.workload,
            "--measure": self.measure,
            "--share": self.share,
            "--unit": self.who.person,
            "--max-rows": self.who.max_rows,
            "--mechanism": self.mechanism != "auto",
            "--neighbours": self.who.difference != "add-remove",
        }
        given = [name for name, value in typed.items() if value]
        if given:
            raise BadInput(
                f"{', '.join(given)} cannot be combined with --plan. Set it in the plan instead."
            )


def missing(option: str) -> BadInput:
    return BadInput(
        f"Missing option '{option}'. Give it, or use --plan with a TOML file. See: "
        f"{PROGRAM} publish --help"
    )
