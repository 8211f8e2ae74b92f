"""`manage.py kubeconfig CLUSTER`: a kubeconfig with a new token, on stdout."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from lifecycle import kubeconfig, tokens
from lifecycle.access import Verb, may
from lifecycle.models import Cluster


class Command(BaseCommand):
    """Issue a token and print the file that holds it: it is shown this once."""

    help = "Prints a kubeconfig with a new token for a cluster: kubectl --kubeconfig FILE get pods"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", help="the cluster's name")
        parser.add_argument("--user", help="whose token it is (default: the cluster's owner)")
        parser.add_argument("--server", help="where Podline is (default: where `manage.py up` serves)")

    def handle(self, *args: Any, **options: Any) -> None:
        cluster = Cluster.objects.select_related("owner").filter(name=options["cluster"]).first()
        if cluster is None:
            raise CommandError(f"there is no cluster {options['cluster']!r}; there are: {_list_names()}")
        user = _find_user(cluster, options["user"])
        base = options["server"] or kubeconfig.read_address(settings.DATA)
        address, authority = kubeconfig.locate(base, is_own_server=not options["server"])
        token = tokens.issue(user, cluster)
        text = kubeconfig.make_kubeconfig(cluster.name, user.get_username(), token, address, authority)
        self.stdout.write(text, ending="")


def _find_user(cluster: Cluster, name: str | None) -> Any:
    users = get_user_model()
    user = cluster.owner if name is None else users.objects.filter(**{users.USERNAME_FIELD: name}).first()
    if user is None:
        raise CommandError(f"there is no user {name!r}")
    if not may(user, cluster, Verb.VIEW):
        raise CommandError(
            f"the user {user.get_username()!r} may not look at the cluster {cluster.name!r};"
            " name its owner, or an active superuser"
        )
    return user


def _list_names() -> str:
    return ", ".join(Cluster.objects.values_list("name", flat=True)[:20]) or "none yet"
