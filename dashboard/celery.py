"""The Celery app: one queue per shard, tasks that take an id and call the runner."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

# Workers also import what makes them engine workers.
app = Celery("podline", include=["lifecycle.runs.celery.serving"])
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery would close the database connection around every task; turns are short and many. They look
# for broken connections themselves.
app.conf.CELERY_DB_REUSE_MAX = 1_000_000
