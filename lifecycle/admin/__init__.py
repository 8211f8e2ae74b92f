"""The admin: clusters, what was asked of them, their objects and histories.

Objects change through commands only, the same as everywhere; histories are read. Django finds this module by
its name.
"""

from django.contrib import admin

from lifecycle.admin.clusters import ClusterAdmin
from lifecycle.admin.commands import CommandAdmin
from lifecycle.admin.objects import StoredObjectAdmin
from lifecycle.admin.people import GroupsAdmin, PeopleAdmin

admin.site.site_header = admin.site.site_title = "Podline"
admin.site.index_title = "Everything Podline keeps"

__all__ = ["ClusterAdmin", "CommandAdmin", "GroupsAdmin", "PeopleAdmin", "StoredObjectAdmin"]
