"""People and their groups: made, changed and ended by superusers.

Django's permissions by model do not count here, as nowhere in this admin: who may change people could make
themselves superusers, or sign in as anybody.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from lifecycle.admin.generics import UserAdmin


class ForSuperusers:
    """Everything is a superuser's, and nothing anybody else's."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    has_change_permission = has_delete_permission = has_view_permission


# In place of Django's own pages; its app comes before this one.
admin.site.unregister([User, Group])


@admin.register(User)
class PeopleAdmin(ForSuperusers, UserAdmin):
    """Django's page of users."""


@admin.register(Group)
class GroupsAdmin(ForSuperusers, GroupAdmin):
    """Django's page of groups."""
