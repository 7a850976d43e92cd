"""What people read: a notice for one person, an audit of a model."""

from ._audit import AuditReport
from ._notice import Notice, notice
from ._reasons import C1_REASONS
from ._write import whole_file, write_text

__all__ = [
    "C1_REASONS",
    "AuditReport",
    "Notice",
    "notice",
    "whole_file",
    "write_text",
]
