"""Inference of better estimates from noisy numbers. Nothing here sees a true count.

An inference maps measurements to values, and knows their noise. `base` defines the interface, and
`kinds` lists all inferences:

========================  ==================================================================
`direct`                  the measurement itself
`tree`                    nested levels of counts, made consistent by least squares
`even`                    cells that share their leaf's count
`pooled`                  cells that share their group's mean
`wavelet`                 cells from their contrasts
`sorted_sequence`         counts from sums of sorted rows
`zoomed`                  counts from sums of sorted rows within the cells of a grid
`summed`                  a view of another estimate
========================  ==================================================================

`groups`, `levels`, `ranks` and `view` (with `stretches` and `weights`) describe their results;
`sorted_lists`, `linearisation` and `grafting` are parts of the sorted ones.

The other files are algorithms that choose groups, cuts or clusters: `isotonic`, `clustering` (with
`least_weight`, `exact_sums`, `cluster_counts`), `segments`, `backtrack`, `voptimal`, `kdtree`,
`cell_medians`, `covering`, `sorted_model`. They are pure functions.
"""
