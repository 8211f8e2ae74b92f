"""Whom and what an argument of a command names; CommandError with what there is, where it names nothing."""

from collections import Counter
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from lifecycle.access import find_any_cluster, hint_at
from lifecycle.models import Cluster


def find_user(name: str | None) -> Any:
    if name is None:
        return None
    users = get_user_model()
    user = users.objects.filter(**{users.USERNAME_FIELD: name}).first()
    if user is None:
        raise CommandError(f"there is no user {name!r}")
    return user


def find_first_user() -> Any:
    """Whoever runs the installation."""
    user = get_user_model().objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if user is None:
        raise CommandError("there is no user yet: start `up` once, or make one with `createsuperuser`")
    return user


def tell_problem(problem: ValidationError) -> str:
    """What is wrong in one line, each field with its name."""
    told = problem.message_dict if hasattr(problem, "error_dict") else {"": problem.messages}
    return "; ".join(f"{name}: {text}" if name else text for name, texts in told.items() for text in texts)


def find_cluster(address: str, user: Any) -> Cluster:
    cluster = find_any_cluster(address, user)
    if cluster is not None:
        return cluster
    if hint := hint_at(address):
        raise CommandError(f"there are several clusters {address!r}: {hint}")
    raise CommandError(f"there is no cluster {address!r}; there are: {_list_addresses()}")


def _list_addresses() -> str:
    """Names, where two have the same with their owners'."""
    found = Cluster.objects.filter(is_look=False).values_list("name", "owner__username")[:20]
    times = Counter(name for name, _ in found)
    return ", ".join(name if times[name] == 1 else f"{name}@{owner}" for name, owner in found) or "none yet"
