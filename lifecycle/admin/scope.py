"""Staff see and change what `may` allows them: their own clusters, and what is in them."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from lifecycle.access import Verb, address_for, clusters_for, find_cluster, give_address, may
from lifecycle.admin.generics import ModelAdmin
from lifecycle.models import Cluster


class ScopedAdmin(ModelAdmin):
    """Rows of one's own clusters, read only unless a subclass says more.

    Django's permissions by model do not count: `may` is asked instead.
    """

    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        clusters = clusters_for(request.user)
        return rows.filter(pk__in=clusters) if self.model is Cluster else rows.filter(cluster__in=clusters)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """The row, whose cluster has its address for who looks."""
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            give_address(request.user, cluster_of(row))
        return row

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The rows of a page, whose clusters have their addresses for who looks."""
        listed = super().get_changelist_instance(request)
        for row in listed.result_list:
            give_address(request.user, cluster_of(row))
        return listed

    @admin.display(description="cluster", ordering="cluster__name")
    def called(self, row: Model) -> str:
        """A row's cluster, with the owner where it is somebody else's."""
        return cluster_of(row).address

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only what the filters beside the list ask for; anything else in an address is a bad request."""
        names = [getattr(one, "parameter_name", one) for one in self.list_filter]
        return lookup.removesuffix("__exact") in names

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """What is no row's number was not ticked on our page: a bad request."""
        key = self.opts.pk
        try:
            for number in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.run_validators(key.to_python(number))
        except ValidationError as problem:
            raise BadRequest(f"{ACTION_CHECKBOX_NAME}: {' '.join(problem.messages)}") from None
        return super().response_action(request, queryset, *args, **kwargs)

    def allows(self, request: HttpRequest, row: Model | None, verb: str) -> bool:
        """Whether `verb` may be done to the row's cluster; for no row, whether to any cluster at all."""
        if row is None:
            return True
        return may(request.user, cluster_of(row), verb)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, obj, Verb.VIEW)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Without Django's transaction around it: the engine can only answer what is committed."""
        view = self._changeform_view  # type: ignore[attr-defined]
        answer: HttpResponse = view(request, object_id, form_url, extra_context)
        return answer


def cluster_of(row: Model) -> Cluster:
    """The cluster that a row is, or is about."""
    return row if isinstance(row, Cluster) else row.cluster  # type: ignore[attr-defined]


class ClusterFilter(admin.SimpleListFilter):
    """By cluster, among those one may look at."""

    title = "cluster"
    parameter_name = "cluster"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        seen = clusters_for(request.user).select_related("owner")
        return [(address, address) for address in (address_for(request.user, one) for one in seen)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        address = self.value()
        return queryset.filter(cluster=find_cluster(request.user, address)) if address else queryset
