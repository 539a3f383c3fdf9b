"""The table of sensitivities: how far one unit can move each kind of exact answer.

======================  ======  =================================  ==========  ==========  ========
unit, neighbours        counts  total                              rank score  rows below  sums, L1
======================  ======  =================================  ==========  ==========  ========
rows, add-remove        1       1                                  1/2         1           B
rows, replace-one       2       1, or 0 where no row can drop out  1           1           2B
user of L, add-remove   L       L                                  L/2         L           LB
user of L, replace-one  2L      L                                  L           L           2LB
======================  ======  =================================  ==========  ==========  ========

"Sums" are of amounts over the rows of each part, where each amount is at most B above or below a
public centre. Signs do not matter: a replaced row moves one part by up to B, and another by up to
B. If the sum of a person's absolute amounts is cut off at P, replace LB by the smaller of LB and P
+ L |c|, where c is the centre.

A replaced user may have fewer rows than before, so the total of users' rows is never public, even
if no row can be dropped. "Rows below" is the number of rows at or below one index: the unit that
leaves and the one that enters move it in opposite directions, so replacing costs no more than
adding.

Inside a `split`, one replaced row can leave one child and enter another. So each child is
calibrated row by row: a total, or a number of rows below, counts there like a part (2 or 2L under
replace-one), so that both children together cost what one child may spend. P does not help there:
one row may have all of it in one child, while another child counts the person's other rows. Proof:
``docs/proofs/split.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hushgram.declare.amount import Amount
from hushgram.declare.unit import Neighbours, Rows, Unit


@dataclass(frozen=True)
class Sensitivity:
    """One row of the table of sensitivities.

    >>> from hushgram.declare.unit import User
    >>> Sensitivity(User("id", 5), "replace-one", loses_rows=True).counts
    10
    """

    unit: Unit
    neighbours: Neighbours
    loses_rows: bool
    nested: bool = False

    @property
    def counts(self) -> int:
        return self.unit.rows * (2 if self.neighbours == "replace-one" else 1)

    def sums(self, amount: Amount, centre: int) -> int:
        """Return how far one unit moves the sums of amounts around a centre, over all parts
        together. A bound per person applies if the unit is a person, but not inside a split, whose
        children are calibrated row by row."""
        if self.nested or isinstance(self.unit, Rows):
            moved = self.unit.rows * amount.reach(centre)
        else:
            moved = amount.reach_of(self.unit.rows, centre)
        return moved * (2 if self.neighbours == "replace-one" else 1)

    @property
    def total(self) -> int:
        if self.nested:
            return self.counts
        if self.neighbours == "replace-one" and isinstance(self.unit, Rows):
            return 1 if self.loses_rows else 0
        return self.unit.rows

    @property
    def rank(self) -> Fraction:
        return Fraction(self.counts, 2)

    @property
    def below(self) -> int:
        """How far one unit moves the number of rows at or below any one index."""
        return self.counts if self.nested else self.unit.rows
