"""The fitted steps before a model: what they make of the columns of its input.

To add a transformer of single columns:

1. `_column_origin.py`: its class in `_ONE_TO_ONE`, or a case in `after_step` if it
   makes several columns of one,
2. `_elementary_steps.py`: its package in `_PACKAGES`, its class in `ENCODERS` if it
   takes each value for a label,
3. `_step_inputs.py`: where it jumps or bends, if it does,
4. `tests/model/catalogue.py`: an example in `STEPS`.

Its formula is not needed: the fitted step is evaluated, and must rise or fall between
the places of 3.
"""
