"""The possible error of answers because rows are not evenly spread within parts.

A query adds up a function g of the rows' positions: for a count, 1 inside a range and 0 outside;
for a sum, the position itself. An answer uses the mean of g over a part for each of its rows, since
their positions within the part are unknown. If a part has c rows, and g has the variance t over it,

    variance of the sum of g over the rows  =  t (ρ c² + (1 - ρ) c),

where ρ is the clumping of rows (`clumping`). For a count of a share f of the part, t is f (1 - f).

Cells to which a mechanism gave the same value are a group, and a query that includes some of its
cells is off by their difference from the others. If the cells were counted before they were grouped
(`Inference.first_counts`), these counts show the difference, and their noise is added.

All of this is post-processing of the release.
"""
