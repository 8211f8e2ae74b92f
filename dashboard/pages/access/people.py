"""The page of who may look at a cluster and change it: people with their roles, and shared links."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from dashboard.asking.answers import Answer
from dashboard.pages.access.forms import ROLES, RoleForm, ShareForm
from dashboard.pages.access.shown_pages import find_page_to_share
from dashboard.pages.parts import UNPROCESSABLE, messages_of, show_answers, signed_in
from lifecycle import limits
from lifecycle.access import Verb, find_role, get_cluster_or_404
from lifecycle.models import Cluster, Role, shares


@signed_in
@require_GET
def people(request: HttpRequest, cluster: str) -> HttpResponse:
    """Who may do what; owners change that here."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "access/people.html", _read(request, found))


@signed_in
@require_POST
def give_role(request: HttpRequest, cluster: str) -> HttpResponse:
    """Somebody gets a role, or another one."""
    found = get_cluster_or_404(request.user, cluster, Verb.OWN)
    form, problem = RoleForm(request.POST), ""
    if not form.is_valid():
        return _show_people(request, found, messages_of(form))
    name = form.cleaned_data["name"]
    user = get_user_model().objects.filter(username=name, is_active=True).first()
    if user is None:
        problem = f"name: nobody here is called {name!r}: give the name somebody signs in with"
    elif user == found.owner:
        problem = f"name: {name} made this cluster, and is its owner in any case"
    else:
        role = form.cleaned_data["role"]
        Role.objects.update_or_create(cluster=found, user=user, defaults={"name": role})
    return _show_people(request, found, problem)


@signed_in
@require_POST
def take_role(request: HttpRequest, cluster: str, role: int) -> HttpResponse:
    """Somebody is a stranger again; one who is so already is no error."""
    found = get_cluster_or_404(request.user, cluster, Verb.OWN)
    found.roles.filter(pk=role).delete()
    return _show_people(request, found)


def _show_people(request: HttpRequest, cluster: Cluster, problem: str = "") -> HttpResponse:
    context = _read(request, cluster) | {"problem": problem}
    return render(request, "access/_people.html", context, status=UNPROCESSABLE if problem else 200)


def _read(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    told = {"cluster": cluster, "given": cluster.roles.select_related("user"), "roles": ROLES}
    told |= {"own_role": find_role(request.user, cluster)}
    return told | ({"links": shares.list_issued(cluster)} if cluster.is_owned else {})


# --- links ------------------------------------------------------------------------------------------------


@signed_in
@never_cache
@require_POST
def share(request: HttpRequest, cluster: str) -> HttpResponse:
    """A link to a page, which is shown here and never again."""
    found = get_cluster_or_404(request.user, cluster, Verb.OWN)
    form = ShareForm(request.POST)
    if not form.is_valid():
        return show_answers(request, [Answer(False, "", messages_of(form))])
    shown = find_page_to_share(request.user, found, form.cleaned_data["page"])
    if isinstance(shown, str):
        return show_answers(request, [Answer(False, "", f"page: {shown}")])
    limits.check_shares(request.user)
    token = shares.issue(request.user, found, shown.page, form.lifetime, shown.beside)
    address = request.build_absolute_uri(f"/s/{token}/")
    return render(
        request, "access/_link.html", {"cluster": found, "address": address, "days": form.lifetime.days}
    )


@signed_in
@require_POST
def revoke_link(request: HttpRequest, cluster: str, share: int) -> HttpResponse:
    """End a link; one that has ended already is no error."""
    found = get_cluster_or_404(request.user, cluster, Verb.OWN)
    shares.list_issued(found).filter(pk=share).delete()
    return render(request, "access/_links.html", _read(request, found))
