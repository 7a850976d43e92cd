"""Tree ensembles as arrays of nodes: one reader per library, and kernels.

To add a library `xyz`:

1. `trees/_xyz.py`: functions that return the nodes of a model as an `Ensemble`, and a
   `TreeLibrary` that names them by class (`_sklearn.py` reads arrays of nodes,
   `_lightgbm.py` a dump). `Arithmetic` says how a value is compared with a threshold;
   an initial score need not be read,
2. `skresp/_model/_families.py`: its `TreeLibrary` in `FAMILIES`,
3. `skresp/_model/_input_format.py`: its name in `_KEEP_NAMES`, if its models keep the
   names of columns,
4. `tests/model/catalogue.py`: a model. The tests compare its scores with those that
   were read,
5. `skresp/report/_audit/sections/_method.py`: its name in `_OPTIONAL`, so that audits
   state its version; an extra in `pyproject.toml`; `skresp/_cli/_load_model.py`, if its
   files are to be read.
"""
