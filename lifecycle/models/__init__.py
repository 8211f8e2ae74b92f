"""What is kept: clusters, what was asked of them, and the history that followed.

Instants are whole virtual milliseconds since the cluster's epoch (`*_ms`); wall times are
datetimes. The runner is the only writer of a cluster's cursor, clock and history; everyone else
appends commands (changes of content) and run controls (pause, speed, step, run until).
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from lifecycle.fields import LIVING_OBJECT, RecordedJSONField, WrittenJSONField
from lifecycle.models.checks import Check, CheckPart
from lifecycle.models.comparisons import Comparison
from lifecycle.models.logs import ContainerLog
from lifecycle.models.shares import Role, Share
from lifecycle.tokens import ApiToken, EntryLink
from lifecycle.workers import Shard, Worker

__all__ = [
    "ApiToken", "Check", "CheckPart", "Comparison", "ContainerLog", "EntryLink", "Role", "Shard", "Share",
    "Worker",
]  # fmt: skip

DNS_LABEL = RegexValidator(
    r"\A[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z",
    "a lowercase DNS label is needed: letters, digits and '-', at most 63, e.g. shop-staging",
)
DEFAULT_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
DEFAULT_WATCH_MS = 3_600_000
DEFAULT_WATCH_ROWS = 100_000


class Cluster(models.Model):
    """One simulated cluster: what it was made from, its clock, and how far it is recorded.

    Its name is its owner's choice: no other cluster of the same owner has it, those of others may.
    A *look* only shows what its parent was: listed nowhere, changed by nobody, soon gone. The *cursor*
    (`instant_ms`, `seq`, `rv`, `inbox_order`) is the commit: history rows above it do not exist for
    readers, and a take-over deletes them. `fence` is the right to write: whoever raised it last owns
    the cluster. `engine_version` recorded what came after `replay_from_ms`.
    """

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="clusters")
    name = models.CharField(max_length=63, validators=[DNS_LABEL])

    # The input, fixed at creation; the release by now, if it lives; what an upgrade could not continue.
    seed = models.BigIntegerField(default=1)
    epoch = models.DateTimeField(default=DEFAULT_EPOCH)
    settings = models.JSONField(default=dict, blank=True)
    kubernetes = models.CharField(max_length=16, blank=True, editable=False)
    engine_version = models.PositiveIntegerField(default=1)
    replay_from_ms = models.BigIntegerField(default=0)
    upgrade_note = models.TextField(blank=True)
    clock_note = models.TextField(blank=True, editable=False)
    epoch_id = models.UUIDField(default=uuid4, editable=False)
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="forks")
    forked_at_ms = models.BigIntegerField(null=True, blank=True)
    is_look = models.BooleanField(default=False, editable=False)
    # The link by which guests look at this past; looks of users have none.
    share = models.ForeignKey(
        "lifecycle.Share", models.CASCADE, null=True, blank=True, editable=False, related_name="looks"
    )

    # The cursor: everything up to here is recorded.
    instant_ms = models.BigIntegerField(default=0)
    seq = models.BigIntegerField(default=0)
    rv = models.BigIntegerField(default=0)
    inbox_order = models.BigIntegerField(default=0)

    # The clock: virtual now = anchor_instant_ms + elapsed since anchor_wall * speed.
    speed = models.FloatField(default=1.0)
    paused = models.BooleanField(default=False)
    as_fast_as_possible = models.BooleanField(default=False)
    # It runs until idle after each write, and stands: its speed is `auto`, in answers and in controls.
    is_auto = models.BooleanField(default=False)
    run_until_ms = models.BigIntegerField(null=True, blank=True)
    run_until_condition = models.TextField(blank=True)
    # Whether the last run came to what it was asked for, and whether only upkeep is left at the cursor.
    has_reached = models.BooleanField(default=False, editable=False)
    is_idle = models.BooleanField(default=False, editable=False)
    anchor_instant_ms = models.BigIntegerField(default=0)
    anchor_wall = models.DateTimeField(null=True, blank=True)
    achieved_speed = models.FloatField(null=True, blank=True)
    next_wake_at = models.DateTimeField(null=True, blank=True, db_index=True)

    # Who writes.
    shard = models.PositiveSmallIntegerField(default=0)
    fence = models.BigIntegerField(default=0)
    inbox_head = models.BigIntegerField(default=0)
    # How often the worker was lost since commands last went in well.
    losses = models.PositiveIntegerField(default=0, editable=False)
    failure = models.TextField(blank=True)

    # How much history stays; None keeps everything. The oldest rows still there follow.
    keep_ms = models.BigIntegerField(null=True, blank=True)
    keep_rows = models.BigIntegerField(null=True, blank=True)
    watch_ms = models.BigIntegerField(default=DEFAULT_WATCH_MS)
    watch_rows = models.BigIntegerField(default=DEFAULT_WATCH_ROWS)
    oldest_seq = models.BigIntegerField(default=1)
    oldest_rv = models.BigIntegerField(default=1)
    # What limits count.
    pods = models.BigIntegerField(default=0)
    recorded_bytes = models.BigIntegerField(default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    # Read along by the runner.
    has_commands = True
    has_pinned = True
    has_controls = True
    # What it is called in addresses by who looks at it, and whether they may change it and own it: set where
    # it is found for somebody.
    address: str
    is_editable = False
    is_owned = False

    class Meta:
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["name", "owner"], name="cluster_name_of_owner")]
        indexes = [models.Index(fields=["shard", "next_wake_at"], name="cluster_due")]

    def __str__(self) -> str:
        return self.name

    def unique_error_message(self, model_class: Any, unique_check: Any) -> ValidationError:
        """In plain words, for every form that names a cluster."""
        if tuple(unique_check) == ("name", "owner"):
            return ValidationError(f"There is a cluster called {self.name} already", code="unique")
        return super().unique_error_message(model_class, unique_check)

    @property
    def epoch_ms(self) -> int:
        """UTC of instant 0 in milliseconds since 1970."""
        return (self.epoch - datetime(1970, 1, 1, tzinfo=UTC)) // _MILLISECOND

    @property
    def shown_name(self) -> str:
        """What people call it; a look has the name of what it looks at."""
        return self.parent.name if self.is_look and self.parent else self.name

    @property
    def log_name(self) -> str:
        """What logs call it: its name, and its number, as others may have the name."""
        return f"{self.name}#{self.pk}"

    @property
    def group(self) -> str:
        """The Channels group that gets this cluster's frames."""
        return f"cluster.{self.uuid}"


_MILLISECOND = timedelta(milliseconds=1)


class Command(models.Model):
    """One thing asked from outside that changes a cluster's content.

    `order` is the inbox order, without gaps a reader could fall into: it is handed out under the
    cluster's row lock. `pinned_ms` is the instant a scenario step carries; `instant_ms` is where the
    command really entered, stamped in the transaction that recorded its effects.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        DONE = "done"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="commands")
    order = models.BigIntegerField()
    kind = models.CharField(max_length=63)
    version = models.PositiveSmallIntegerField(default=1)
    payload = models.JSONField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    state = models.CharField(max_length=15, choices=State.choices, default=State.PENDING)
    pinned_ms = models.BigIntegerField(null=True, blank=True)
    instant_ms = models.BigIntegerField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    # Begun so often after the cluster's worker was lost; 0 in the usual case.
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    source = models.UUIDField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["cluster_id", "order"]
        constraints = [models.UniqueConstraint(fields=["cluster", "order"], name="command_order")]
        indexes = [
            models.Index(fields=["cluster"], condition=models.Q(state="pending"), name="command_pending"),
            models.Index(fields=["cluster", "instant_ms", "order"], name="command_replay"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.order}"

    @property
    def trace_id(self) -> str:
        """The id causes name: a fork's copied commands keep their parent's."""
        return str(self.source or self.id)

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE


class RunControl(models.Model):
    """One change of how a cluster runs (never seen by the engine): asked, then applied by the runner.

    Payloads: pause {}, resume {}, speed {speed}, step {ms?}, run {untilMs?, condition?, fast, asked?}.
    """

    class Kind(models.TextChoices):
        PAUSE = "pause"
        RESUME = "resume"
        SPEED = "speed"
        STEP = "step"
        RUN = "run"

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="run_controls")
    kind = models.CharField(max_length=15, choices=Kind.choices)
    payload = models.JSONField(default=dict, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True, blank=True)
    instant_ms = models.BigIntegerField(null=True, blank=True)
    problem = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["cluster"], condition=models.Q(applied_at__isnull=True), name="control_pending"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.payload}"


class StoredObject(models.Model):
    """The latest JSON of one object and its summary columns; kept after the object's deletion."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="objects_stored")
    uid = models.CharField(max_length=63)
    kind = models.CharField(max_length=63)
    namespace = models.CharField(max_length=63, null=True, blank=True)
    name = models.CharField(max_length=253)
    owner = models.CharField(max_length=320, null=True, blank=True)
    node = models.CharField(max_length=253, null=True, blank=True)
    state = models.CharField(max_length=31, null=True, blank=True)
    phase = models.CharField(max_length=63, null=True, blank=True)
    status = models.CharField(max_length=127, null=True, blank=True)
    ready = models.CharField(max_length=31, null=True, blank=True)
    restarts = models.IntegerField(null=True, blank=True)
    revision = models.BigIntegerField(null=True, blank=True)
    created_ms = models.BigIntegerField(default=0)
    deleted_ms = models.BigIntegerField(null=True, blank=True)
    rv = models.BigIntegerField()
    group = models.CharField(max_length=253, default="", blank=True)
    data = RecordedJSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cluster", "uid"], name="object_uid")]
        indexes = [
            models.Index(fields=["cluster", "kind", "group", "namespace", "name"], name="object_name"),
            models.Index(fields=["cluster", "rv"], name="object_rv"),
            LIVING_OBJECT,
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace + '/' if self.namespace else ''}{self.name}"


# Rows are written under their cluster's lock: to look the cluster up for each took a third of the time.
HISTORY: dict[str, Any] = {"related_name": "+", "db_index": False, "db_constraint": False}


@receiver(pre_delete, sender=Cluster)
def keep_writers_out(sender: object, instance: Cluster, **_: object) -> None:
    """Lock a cluster before its history and its looks go: a slice is whole by then, or finds no cluster."""
    list(Cluster.objects.select_for_update().filter(pk=instance.pk).values_list("pk"))
    instance.forks.filter(is_look=True).delete()


class ObjectVersion(models.Model):
    """One write of one object: what a watch sends. `patch` is a JSON merge patch (all of it on ADDED)."""

    pk = models.CompositePrimaryKey("cluster_id", "rv")
    cluster = models.ForeignKey(Cluster, models.CASCADE, **HISTORY)
    rv = models.BigIntegerField()
    at_ms = models.BigIntegerField()
    uid = models.CharField(max_length=63)
    type = models.CharField(max_length=8)
    kind = models.CharField(max_length=63)
    namespace = models.CharField(max_length=63, null=True)
    name = models.CharField(max_length=253)
    patch = WrittenJSONField(null=True)
    group = models.CharField(max_length=253, default="", blank=True)


class TraceRow(models.Model):
    """What transitions and events share: the trace's keys in snake case, in their order."""

    seq = models.BigIntegerField()
    at_ms = models.BigIntegerField()
    kind = models.CharField(max_length=63)
    namespace = models.CharField(max_length=63, null=True)
    name = models.CharField(max_length=253)
    uid = models.CharField(max_length=63)
    group = models.CharField(max_length=253, default="", blank=True)

    class Meta:
        abstract = True


class Transition(TraceRow):
    """One field of one subject changing at one instant."""

    pk = models.CompositePrimaryKey("cluster_id", "seq")
    cluster = models.ForeignKey(Cluster, models.CASCADE, **HISTORY)
    owner = models.CharField(max_length=320, null=True)
    field = models.CharField(max_length=320)
    old = WrittenJSONField(null=True)
    new = WrittenJSONField(null=True)
    reason = models.TextField(null=True)
    message = models.TextField(null=True)
    cause = WrittenJSONField(null=True)
    detail = WrittenJSONField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["cluster", "uid", "seq"], name="transition_uid"),
            # What pictures of a whole cluster are made of: few rows of many.
            models.Index(fields=["cluster", "at_ms"], condition=models.Q(field="state"), name="state_change"),
            models.Index(fields=["cluster", "seq"], condition=models.Q(field="exists"), name="existence"),
        ]


class Event(TraceRow):
    """A Kubernetes Event as its component emitted it, or the closing row of a series."""

    pk = models.CompositePrimaryKey("cluster_id", "seq")
    cluster = models.ForeignKey(Cluster, models.CASCADE, **HISTORY)
    field_path = models.CharField(max_length=320, null=True)
    event_type = models.CharField(max_length=15)
    reason = models.CharField(max_length=127)
    message = models.TextField()
    source = models.CharField(max_length=127)
    count = models.BigIntegerField()
    first_ms = models.BigIntegerField()
    last_ms = models.BigIntegerField()
    event_id = models.CharField(max_length=63, null=True)
    cause = WrittenJSONField(null=True)
    detail = WrittenJSONField(null=True)

    class Meta:
        indexes = [models.Index(fields=["cluster", "uid", "seq"], name="event_uid")]


class Checkpoint(models.Model):
    """Everything the engine knew at one drained instant, compressed; replayed only by its own version.

    `command_order` is the inbox order of the last command that had entered at that instant (0: none).
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="checkpoints")
    instant_ms = models.BigIntegerField()
    command_order = models.BigIntegerField(default=0)
    seq = models.BigIntegerField()
    rv = models.BigIntegerField()
    engine_version = models.PositiveIntegerField()
    format = models.PositiveSmallIntegerField(default=1)
    data = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "instant_ms", "command_order", "seq"], name="checkpoint_at"
            )
        ]
