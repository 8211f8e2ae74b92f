"""What containers wrote."""

from __future__ import annotations

from django.db import models


class ContainerLog(models.Model):
    """A part of what one run of a container wrote; how much is kept, `runs.container_logs` says.

    `number` orders the parts. `lines` says when the lines of `text` were written, as [instant in ms, how
    many] in order.
    """

    cluster = models.ForeignKey("lifecycle.Cluster", models.CASCADE, related_name="+", db_index=False)
    uid = models.CharField(max_length=63)
    container = models.CharField(max_length=63)
    attempt = models.IntegerField()
    number = models.IntegerField(default=0)
    started_ms = models.BigIntegerField(null=True)
    text = models.TextField(blank=True)
    lines = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "uid", "container", "attempt", "number"], name="log_part"
            )
        ]
