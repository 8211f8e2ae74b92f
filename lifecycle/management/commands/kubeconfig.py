"""`manage.py kubeconfig CLUSTER`: a kubeconfig with a new token, on stdout."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from lifecycle import kubeconfig, tokens
from lifecycle.access import Verb, address_for, find_any_cluster, hint_at, may
from lifecycle.models import Cluster


class Command(BaseCommand):
    """Issue a token and print the file that holds it: it is shown this once."""

    help = "Prints a kubeconfig with a new token for a cluster: kubectl --kubeconfig FILE get pods"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", help="the cluster's name, or in full with its owner's: demo@alice")
        parser.add_argument("--user", help="whose token it is (default: the cluster's owner)")
        parser.add_argument("--server", help="where Podline is (default: where `manage.py up` serves)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = _find_user(options["user"])
        cluster = _find_cluster(options["cluster"], user)
        user = user or cluster.owner
        if not may(user, cluster, Verb.VIEW):
            raise CommandError(
                f"the user {user.get_username()!r} may not look at the cluster {options['cluster']!r};"
                " name its owner, or an active superuser"
            )
        base = options["server"] or kubeconfig.read_address(settings.DATA)
        address, authority = kubeconfig.locate(base, is_own_server=not options["server"])
        token = tokens.issue(user, cluster)
        called = address_for(user, cluster)
        text = kubeconfig.make_kubeconfig(called, user.get_username(), token, address, authority)
        self.stdout.write(text, ending="")


def _find_user(name: str | None) -> Any:
    if name is None:
        return None
    users = get_user_model()
    user = users.objects.filter(**{users.USERNAME_FIELD: name}).first()
    if user is None:
        raise CommandError(f"there is no user {name!r}")
    return user


def _find_cluster(address: str, user: Any) -> Cluster:
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
