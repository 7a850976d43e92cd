"""What people read: a notice for one person, an audit of a model."""

from ._notice import Notice, notice
from ._reasons import C1_REASONS

__all__ = ["C1_REASONS", "Notice", "notice"]
