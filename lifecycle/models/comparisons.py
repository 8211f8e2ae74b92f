"""Comparisons of releases: what somebody gave, under which it is run, and what came out otherwise."""

from __future__ import annotations

from uuid import uuid4

from django.conf import settings
from django.db import models

from lifecycle.fields import WrittenJSONField
from lifecycle.models.checks import GOING_ON, Check


class Comparison(models.Model):
    """One input under several releases. `cluster`: whose story it is; None where manifests were given.

    `files`: what is read, as [name, text], in order. `releases`: their names, the older first. `doing`: what
    a worker is at, in words, after so many `runs`. `problem`: why it failed.
    """

    State = Check.State

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="comparisons")
    cluster = models.ForeignKey(
        "lifecycle.Cluster", models.CASCADE, null=True, blank=True, related_name="comparisons"
    )
    state = models.CharField(max_length=15, choices=State.choices, default=State.ASKED)
    releases = models.JSONField(default=list)
    files = WrittenJSONField(default=list)
    doing = models.CharField(max_length=127, blank=True)
    problem = models.TextField(blank=True)
    runs = models.PositiveIntegerField(default=0)
    # Releases stand in their order.
    result = WrittenJSONField(default=dict, blank=True)

    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    # Who works on it was heard of then; None: nobody has begun.
    heard_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(state__in=("asked", "running")),
                name="one_comparison_of_a_user",
            )
        ]

    def __str__(self) -> str:
        return f"comparison of {', '.join(self.releases)}, {self.state}"

    @property
    def is_going_on(self) -> bool:
        """Whether it has yet to end."""
        return self.state in GOING_ON
