"""From noisy numbers to better ones: nothing here sees a true count.

An inference maps measurements to values, and knows the noise in them. `base` says what it is, and
`kinds` lists all of them:

========================  ==================================================================
`direct`                  what was measured
`tree`                    nested levels of counts, reconciled by least squares
`even`                    cells that share their leaf's count
`pooled`                  cells that share their group's mean
`wavelet`                 cells from their contrasts
`sorted_sequence`         counts from sums of sorted rows
`zoomed`                  the same, inside the cells of a grid
`summed`                  a view of another estimate
========================  ==================================================================

What they say about themselves is in `groups`, `levels`, `ranks`, `view` (with `stretches` and
`weights`); `sorted_lists`, `linearisation` and `grafting` are parts of the sorted ones.

The other files are algorithms that choose groups, cuts or clusters: `isotonic`, `clustering` (with
`least_weight`, `exact_sums`, `cluster_counts`), `segments`, `backtrack`, `voptimal`, `kdtree`,
`cell_medians`, `covering`, `sorted_model`. They are pure functions.
"""
