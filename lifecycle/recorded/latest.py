"""The order in which the latest rows of a history come first."""

from __future__ import annotations

from django.db.models import F

LATEST_FIRST = (F("seq") + 0).desc()
"""A sum, so that no database walks a whole history backwards for the few rows that are asked for."""
