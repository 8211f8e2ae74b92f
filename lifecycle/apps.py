"""The Django app that holds clusters and their histories."""

from django.apps import AppConfig


class LifecycleConfig(AppConfig):
    """Persistence, runs and surfaces of simulated clusters."""

    name = "lifecycle"
    verbose_name = "Clusters"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say who carries messages between the processes of Podline."""
        from lifecycle.runs import messages
        from lifecycle.runs.celery import carrier

        messages.carry_by(carrier)
