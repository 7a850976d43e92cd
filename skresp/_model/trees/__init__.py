"""Tree ensembles as arrays of nodes: one reader per library, and kernels."""
