"""Engines that look for recourse or prove that there is none.

`_make_engine` chooses: `boxes/` for every model that was read, `trees/` and `linear/`
where they are faster, `_black_box` for the others. `_base` has their protocol.

Time limits: compiled searches run in growing slices of work (`_run_until`), those
over boxes are paused and resumed (`boxes/_solve.py`).
"""
