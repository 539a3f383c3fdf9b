"""What can be measured besides counts of parts: contrasts of neighbouring cells, sums of groups of
sorted rows, along an axis or along the Hilbert curve, weighted counts of nodes. Public, integers
only."""
