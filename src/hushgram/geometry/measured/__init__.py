"""What can be measured besides counts of parts: contrasts of neighbouring cells, sums of groups of
sorted rows (along an axis or the Hilbert curve) and weighted counts of nodes. Public, integers
only."""
