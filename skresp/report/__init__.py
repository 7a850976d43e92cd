"""Notices for one person and audits of a model."""

from .audit._report import AuditReport
from .notice._notice import Notice, notice

__all__ = ["AuditReport", "Notice", "notice"]
