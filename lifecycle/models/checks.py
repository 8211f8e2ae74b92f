"""Checks of clusters: what somebody asked for, and how far the engine workers are with it.

A check stands on what its cluster was at one drained instant, kept in `base`. Its futures are shared out in
parts; what a part has lived through is plain data, so that any worker can go on with it.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import models

SILENCE = timedelta(seconds=60)
"""After so long without word of it a part, or the sum, is given to another worker."""


class Check(models.Model):
    """One check of a cluster. `problem`: why it failed. `card`: the cells of its scorecard.

    `counterexamples`: by the id of a finding the seed, and the commands with their instants after `at_ms`.
    `remarks`: what was not tried and why, and what the figures rest on.
    """

    class State(models.TextChoices):
        ASKED = "asked"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    cluster = models.ForeignKey("lifecycle.Cluster", models.CASCADE, related_name="checks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="checks")
    state = models.CharField(max_length=15, choices=State.choices, default=State.ASKED)
    ordeals = models.JSONField(default=list)
    seeds = models.PositiveIntegerField(default=1)
    problem = models.TextField(blank=True)

    # What it stands on: known once a worker has begun.
    at_ms = models.BigIntegerField(null=True, blank=True)
    command_order = models.BigIntegerField(default=0)
    engine_version = models.PositiveIntegerField(default=0)
    base = models.BinaryField(default=bytes, editable=False)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)

    card = models.JSONField(default=dict, blank=True)
    report = models.JSONField(default=dict, blank=True)
    counterexamples = models.JSONField(default=dict, blank=True)
    remarks = models.JSONField(default=list, blank=True)

    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    heard_at = models.DateTimeField(auto_now_add=True)
    # Who begins it or sums it up was heard of then.
    worked_at = models.DateTimeField(null=True, blank=True, editable=False)
    is_summing = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["cluster"],
                condition=models.Q(state__in=("asked", "running")),
                name="one_check_of_a_cluster",
            )
        ]

    def __str__(self) -> str:
        return f"check of {self.cluster_id}, {self.state}"

    @property
    def is_going_on(self) -> bool:
        """Whether it has yet to end."""
        return self.state in GOING_ON


GOING_ON = (Check.State.ASKED, Check.State.RUNNING)


class CheckPart(models.Model):
    """Some of a check's futures, from `first` on, in the order of (trial, seed).

    `futures`: those that were lived through. `attempts`: how often it was begun without getting further.
    """

    check_of = models.ForeignKey(Check, models.CASCADE, related_name="parts")
    first = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    futures = models.JSONField(default=list)
    card = models.JSONField(default=dict)
    is_done = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    heard_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["first"]
        constraints = [models.UniqueConstraint(fields=["check_of", "first"], name="part_of_check")]

    def __str__(self) -> str:
        return f"futures {self.first} to {self.first + self.count - 1}"
