"""The Django project: settings, pages, live frames, and the Celery app workers start from."""

from dashboard.celery import app as celery_app

__all__ = ["celery_app"]
