"""How far an answer can be from the truth because rows are not spread evenly.

A question takes a value g from each place of a domain: 1 inside a range and 0 outside for a count,
the place itself for a sum. An answer takes the mean of g over a part for each of its rows; what g
is where they really lie, nobody counted. With c rows in a part, and t the variance of g over it,

    variance of the sum of g over the rows  =  t (ρ c² + (1 - ρ) c),

ρ being how clumped rows are (`clumping`). For a count of a share f of the part, t is f (1 - f).

Cells to which a mechanism gave one value together are a group, and a question that takes some of
its cells is off by how these differ from the others. Where the cells were counted before they were
put into groups (`Inference.first_look`), that look tells: its own difference is taken as it is,
and its noise is added.

All of this is post-processing of the release.
"""
