"""The Django app that holds clusters and their histories."""

from django.apps import AppConfig
from django.utils.module_loading import import_string


class LifecycleConfig(AppConfig):
    """Persistence, runs and surfaces of simulated clusters."""

    # Below another package in the wheel.
    name = __name__.rpartition(".")[0]
    label = "lifecycle"
    verbose_name = "Clusters"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say who carries messages between the processes of Podline, and show nobody's tokens."""
        from lifecycle.runs import messages
        from lifecycle.runs.celery import carrier

        messages.carry_by(carrier)
        # Named, not imported: the admin is a floor above.
        import_string("lifecycle.admin.tokens.take_over")()
