"""The command line: demo, audit, check, actions."""

from ._main import main

__all__ = ["main"]
