"""Tree ensembles as arrays of nodes: one reader per library, and kernels.

To add a library `xyz`:

1. `trees/_xyz.py`: functions that return the nodes of a model as an `Ensemble`, and a
   `TreeLibrary` that names them by class (`_lightgbm.py` is a short one),
2. `skresp/_model/_families.py`: its `TreeLibrary` in `FAMILIES`,
3. `skresp/_model/_input_format.py`: its name in `_KEEP_NAMES`, if its models keep the
   names of columns,
4. `tests/model/catalogue.py`: a model. The tests compare its scores with those that
   were read.
"""
