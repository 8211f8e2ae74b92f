"""Tokens of the REST export: whose there are, to end them. What they are is kept nowhere."""

from django.contrib import admin
from django.http import HttpRequest
from rest_framework.authtoken.admin import TokenAdmin as FrameworksAdmin
from rest_framework.authtoken.models import TokenProxy

from lifecycle.admin.people import ForSuperusers


class TokenAdmin(ForSuperusers, FrameworksAdmin):
    """Superusers end tokens here, found by their user's number; `manage.py drf_create_token` makes them."""

    list_display = ("user", "created")
    fields = ("user", "created")
    readonly_fields = ("user", "created")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


def take_over() -> None:
    """In place of the framework's page, which shows tokens; its app may come after this one."""
    if admin.site.is_registered(TokenProxy):
        admin.site.unregister(TokenProxy)
    admin.site.register(TokenProxy, TokenAdmin)
