"""Notices for one person and audits of a model."""

from ._audit._report import AuditReport
from ._notice._notice import Notice, notice

__all__ = ["AuditReport", "Notice", "notice"]
