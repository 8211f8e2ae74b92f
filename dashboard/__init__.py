"""The Django project: settings, pages, live connections."""

from importlib.util import find_spec

# Notebooks draw figures without a server; where there is one, tasks find their app here.
if find_spec("celery"):
    from dashboard.celery import app as celery_app

    __all__ = ["celery_app"]
