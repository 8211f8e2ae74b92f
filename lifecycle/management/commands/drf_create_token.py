"""`manage.py drf_create_token USER`: a token for the REST export, shown this once; an older one ends."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from lifecycle.rest_tokens import issue


class Command(BaseCommand):
    """Takes the place of the REST framework's, which keeps tokens as they are."""

    help = "Makes a token for the REST export and prints it; an older one of the user ends."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("-r", "--reset", action="store_true", help="no longer needed: tokens are new")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["username"]
        user = get_user_model().objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"there is no user {name!r}")
        self.stdout.write(f"Generated token {issue(user)} for user {name}")
