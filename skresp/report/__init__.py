"""What people read: a notice for one person, an audit of a model."""

from ._audit import AuditReport
from ._notice import Notice, notice
from ._write import whole_file, write_text

__all__ = [
    "AuditReport",
    "Notice",
    "notice",
    "whole_file",
    "write_text",
]
