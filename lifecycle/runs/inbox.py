"""The way in: make a cluster, append a command, ask for a run control, wait for what came of it."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings as installation
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from lifecycle import limits
from lifecycle.engine.public import find_release
from lifecycle.input import expressions, scenario
from lifecycle.models import Cluster, Command, RunControl
from lifecycle.models.rows import Rows
from lifecycle.runs import messages, run_controls
from lifecycle.runs.driving import auto
from lifecycle.runs.run_clock import MAX_SPEED, MIN_SPEED
from lifecycle.runs.sharing import shards

WAIT_SECONDS = 10.0
# Virtual time goes on from the epoch, and is written with four digits.
FIRST_YEAR, LAST_YEAR = 1970, 9000
# Should an announcement get lost, the result is looked up this often.
LOOK_SECONDS = 0.5
# Of one request, in one statement.
COMMANDS_AT_ONCE = 500
# Commands that make objects, and controls that let time go on.
ADDING = frozenset(("create", "apply"))
MOVING = frozenset((RunControl.Kind.RESUME, RunControl.Kind.STEP, RunControl.Kind.RUN))

_TAKE_PLACES = "UPDATE lifecycle_cluster SET inbox_head = inbox_head + %s WHERE id = %s"
_LOOK_AT_PLACES = "SELECT inbox_head, failure FROM lifecycle_cluster WHERE id = %s"
_COMMANDS, _ANSWERS = Rows(Command), Rows(Command, "state instant_ms result done_at")

User = AbstractBaseUser | AnonymousUser | None
Result = dict[str, Any] | None
"""`{code, object, status, warnings}`; None of a command that waits yet."""


class Refused(Exception):
    """The inbox does not take this: the message says what and why."""


def create_cluster(
    owner: Any,
    name: str,
    seed: int = 1,
    epoch: datetime | None = None,
    settings: dict[str, Any] | None = None,
    **columns: Any,
) -> Cluster:
    """A new cluster at instant 0, which is now unless an epoch is given: clients work out ages themselves.

    ValidationError when its owner has one of that name, it is no DNS label, or its input would give no
    cluster; limits.Exceeded when its owner has as many as one may have.
    """
    epoch = epoch or begin_now()
    limits.check_clusters(owner)
    check_input(epoch, settings or {})
    bound = limits.bind_settings(owner, _name_release(settings or {}))
    cluster = Cluster(owner=owner, name=name, seed=seed, epoch=epoch, settings=bound, **columns)
    # Due at once: the first turn makes its nodes and starts its clock.
    cluster.next_wake_at = timezone.now()
    keep_new(cluster)
    _nudge(cluster)
    return cluster


def _name_release(settings: dict[str, Any]) -> dict[str, Any]:
    """A cluster stays of the release that is the default here as it is made: it says which that is."""
    if settings.get("kubernetes") or settings.get("compatibility"):
        return settings
    return {**settings, "kubernetes": find_release(installation.KUBERNETES).name}


def begin_now() -> datetime:
    """The epoch of a cluster that is made now."""
    return timezone.now().replace(microsecond=0)


def keep_new(cluster: Cluster) -> None:
    """Store a cluster that was just made, with its shard. ValidationError when something of it is wrong."""
    cluster.full_clean(exclude=["settings"])
    try:
        with transaction.atomic():
            cluster.save()
            cluster.shard = shards.shard_of(cluster.pk)
            cluster.save(update_fields=["shard"])
    except IntegrityError:
        # Somebody was quicker: another request of the same owner's.
        raise _taken(cluster.name) from None


def _taken(name: str) -> ValidationError:
    return ValidationError(f"There is a cluster called {name} already", code="unique")


def rename_cluster(cluster: Cluster, name: str) -> None:
    """Another name for a cluster: its addresses have it, those with the old one lead nowhere.

    ValidationError when its owner has another of that name or it is no DNS label.
    """
    before, cluster.name = cluster.name, name
    try:
        others = {column.name for column in Cluster._meta.fields} - {"name", "owner"}
        cluster.full_clean(exclude=others)
        with transaction.atomic():
            Cluster.objects.filter(pk=cluster.pk).update(name=name)
    except (ValidationError, IntegrityError) as problem:
        cluster.name = before
        if isinstance(problem, ValidationError):
            raise
        raise _taken(name) from None


def check_input(epoch: datetime, settings: Any) -> None:
    """ValidationError with what is wrong with the epoch or the settings of a new cluster, and what would be
    right."""
    problems: dict[str, list[str]] = {}
    if not FIRST_YEAR <= epoch.year <= LAST_YEAR:
        problems["epoch"] = [f"the year {epoch.year}: use one from {FIRST_YEAR} to {LAST_YEAR}"]
    if wrong := scenario.check_settings(settings):
        problems["settings"] = [str(problem) for problem in wrong]
    if problems:
        raise ValidationError(problems)


def append(
    cluster: Cluster,
    kind: str,
    payload: dict[str, Any],
    user: User = None,
    id: UUID | str | None = None,
    version: int = 1,
    pinned_ms: int | None = None,
) -> Command:
    """Put a command into the cluster's inbox and wake the cluster. The same id twice is one command.

    `pinned_ms`: the instant a scenario step carries. Refused when the id names another command, or the
    cluster has failed; limits.Exceeded when the user sends too many, or adds to clusters that hold too much.
    """
    limits.take_command(user, is_begun=pinned_ms is not None)
    if kind in ADDING:
        limits.check_holdings(user)
    _check_values(payload)
    command_id = uuid4() if id is None else UUID(str(id))
    with transaction.atomic():
        known = Command.objects.filter(pk=command_id).first() if id is not None else None
        if known is None:
            known = _append(cluster, command_id, id is None, kind, payload, user, version, pinned_ms)
    if (known.cluster_id, known.kind, known.payload) != (cluster.pk, kind, payload):
        raise Refused(f"command {command_id} was already used for something else; use a new id")
    if not known.is_done:
        _nudge(cluster)
    return known


def append_all(
    cluster: Cluster,
    commands: Sequence[tuple[str, dict[str, Any]]],
    user: User,
    is_begun: bool = False,
) -> list[Command]:
    """Put commands of one request, as (kind, payload), into the cluster's inbox, in order: all or none.

    `is_begun`: others of the same request were taken before. Refused and limits.Exceeded as `append`; who may
    begin may send them all.
    """
    for number, (_kind, payload) in enumerate(commands):
        limits.take_command(user, is_begun or number > 0)
        _check_values(payload)
    if not is_begun and any(kind in ADDING for kind, _payload in commands):
        limits.check_holdings(user)
    with transaction.atomic():
        first = _take_places(cluster, len(commands))
        made = [
            Command(
                pk=uuid4(),
                cluster=cluster,
                order=order,
                kind=kind,
                payload=payload,
                user=_known(user),
                source=auto.name_command(cluster, order),
            )
            for order, (kind, payload) in enumerate(commands, first)
        ]
        Command.objects.bulk_create(made, batch_size=COMMANDS_AT_ONCE)
    _nudge(cluster)
    return made


def is_rehearsal(command: Command) -> bool:
    """Whether it was a dry run: answered as if done, and nothing was."""
    payload = command.payload
    return bool(payload.get("dryRun") or (payload.get("request") or {}).get("dryRun"))


def _check_values(payload: Any) -> None:
    """Raises Refused for what cannot be kept. It may be nested without end."""
    left = [payload]
    while left:
        one = left.pop()
        if isinstance(one, str):
            if "\0" in one:
                raise Refused(
                    "a NUL character is no part of any text here: leave it out, or write an escape for it"
                )
        elif isinstance(one, dict):
            left += one
            left += one.values()
        elif isinstance(one, list | tuple):
            left += one
        elif isinstance(one, int) and not -(2**63) <= one < 2**64:
            raise Refused("a whole number has 64 bits at most: write a smaller one, or one with an exponent")


def _append(
    cluster: Cluster,
    command_id: UUID,
    is_new: bool,
    kind: str,
    payload: dict[str, Any],
    user: User,
    version: int,
    pinned_ms: int | None,
) -> Command:
    order = _take_places(cluster, 1)
    values = {
        "cluster": cluster,
        "order": order,
        "kind": kind,
        "version": version,
        "payload": payload,
        "user": _known(user),
        "pinned_ms": pinned_ms,
        "source": auto.name_command(cluster, order),
    }
    if is_new:
        return _COMMANDS.add(Command(pk=command_id, **values))
    # Others may send the same one at the same time.
    return Command.objects.get_or_create(pk=command_id, defaults=values)[0]


def _take_places(cluster: Cluster, count: int) -> int:
    """The first of so many orders. Refused when the cluster is gone or has failed."""
    with connection.cursor() as cursor:
        # It takes the row's lock: orders become visible in the order they were given.
        cursor.execute(_TAKE_PLACES, [count, cluster.pk])
        cursor.execute(_LOOK_AT_PLACES, [cluster.pk])
        row = cursor.fetchone()
    if row is None:
        raise Refused(f"the cluster {cluster.name} is gone")
    head: int = row[0]
    failure = row[1]
    if failure:
        raise Refused(f"the cluster {cluster.name} has failed and takes no commands: {failure}")
    return head - count + 1


def _nudge(cluster: Cluster) -> None:
    # Inside a caller's transaction nothing is there yet for a worker to find.
    transaction.on_commit(lambda: messages.carrier().nudge(cluster.shard))


def wait_for_result(command: Command, timeout: float = WAIT_SECONDS) -> Result:
    """The command's result `{code, object, status, warnings}`; None when there is none after `timeout` s.

    `command` has what came of it either way.
    """
    _wait(str(command.pk), lambda: command.is_done, lambda: _read_answer(command), timeout)
    return command.result


def wait_for_results(commands: Sequence[Command], timeout: float = WAIT_SECONDS) -> list[Result]:
    """The results of commands of one cluster, in their order, in which they are carried out."""
    if not commands:
        return []
    last = wait_for_result(commands[-1], timeout)
    # Who has deleted the cluster meanwhile has its commands deleted, too.
    found = Command.objects.in_bulk([command.pk for command in commands[:-1]])
    done = {pk: command.result for pk, command in found.items()}
    return [*(done.get(command.pk) for command in commands[:-1]), last]


def control(
    cluster: Cluster, kind: str, payload: dict[str, Any] | None = None, user: User = None
) -> RunControl:
    """Ask for a run control: pause {}, resume {}, speed {speed}, step {ms?},
    run {untilMs?, condition?, fast?, asked?}.

    ValidationError with what would be right; limits.Exceeded as for commands.
    """
    payload = payload or {}
    limits.take_command(user)
    if kind in MOVING or payload.get("speed") == auto.AUTO:
        limits.check_holdings(cluster.owner)
    _check_control(kind, payload)
    control = RunControl.objects.create(cluster=cluster, kind=kind, payload=payload, user=_known(user))
    _nudge(cluster)
    return control


def wait_for_control(control: RunControl, timeout: float = 2.0) -> bool:
    """Whether the control was applied within `timeout` seconds; `control` is refreshed."""
    _wait(f"control-{control.pk}", lambda: control.applied_at is not None, control.refresh_from_db, timeout)
    return control.applied_at is not None


def _check_control(kind: str, payload: dict[str, Any]) -> None:
    if kind not in RunControl.Kind.values:
        raise ValidationError(f"run control {kind!r}: use one of {', '.join(RunControl.Kind.values)}")
    speed, ms, until_ms = payload.get("speed"), payload.get("ms"), payload.get("untilMs")
    if kind == RunControl.Kind.SPEED:
        check_speed(speed)
    if payload.get("condition") not in (None, "", run_controls.IDLE):
        _check_condition(payload["condition"])
    for name, value in (("ms", ms), ("untilMs", until_ms)):
        if value is not None and not (isinstance(value, int) and _is_number(value, 0, 10**15)):
            raise ValidationError(f"{name} {value!r}: use a whole number of milliseconds, 0 or more")


def check_speed(speed: object) -> None:
    """ValidationError for what is no speed."""
    if speed != auto.AUTO and not _is_number(speed, MIN_SPEED, MAX_SPEED):
        right = f"use a number from {MIN_SPEED:g} to {MAX_SPEED:,.0f}, or {auto.AUTO}"
        raise ValidationError(f"speed {str(speed)[:40]!r}: {right}")


def _check_condition(condition: object) -> None:
    try:
        expressions.parse(str(condition))
    except expressions.ExpressionError as problem:
        raise ValidationError(str(problem)) from None


def _is_number(value: object, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _known(user: User) -> Any:
    return user if user is not None and user.is_authenticated else None


def _read_answer(command: Command) -> None:
    """Read again what a command's worker writes. Command.DoesNotExist when its cluster is gone."""
    _ANSWERS.refresh(command)


def _wait(announced_as: str, is_done: Callable[[], bool], read: Callable[[], object], timeout: float) -> None:
    # What was asked for a moment ago is not done yet: it is looked at when its result is announced.
    hear_of = messages.carrier().wait_for_announcement
    left, deadline = timeout, time.monotonic() + timeout
    while True:
        began = time.monotonic()
        is_told = not is_done() and left > 0 and hear_of(announced_as, min(left, LOOK_SECONDS))
        read()
        left = deadline - time.monotonic()
        if is_done() or left <= 0:
            return
        if not is_told:
            # It may have answered at once because nobody carries: do not spin.
            time.sleep(max(0.0, min(0.05 - (time.monotonic() - began), left)))
