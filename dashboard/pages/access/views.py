"""The way out to kubectl: a kubeconfig to download, the tokens that were issued so, and their end."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from dashboard.pages.parts import signed_in
from lifecycle import kubeconfig, tokens
from lifecycle.access import get_cluster_or_404

# Where a browser says that a request begins: with the person, or on a page of this very origin.
OWN_SITES = ("none", "same-origin")


@signed_in
@never_cache
@require_GET
def download(request: HttpRequest, cluster: str) -> HttpResponse:
    """A ready kubeconfig with a new token of the asker's own.

    Nobody else's page may have it made, by a picture or a link: each new token ends an old one.
    """
    if request.headers.get("Sec-Fetch-Site", "none") not in OWN_SITES:
        return HttpResponse("Open this address from Podline's own page.\n", "text/plain", status=403)
    found = get_cluster_or_404(request.user, cluster)
    address, authority = kubeconfig.locate_for(request)
    token = tokens.issue(request.user, found)
    text = kubeconfig.make_kubeconfig(found.address, request.user.get_username(), token, address, authority)
    name = content_disposition_header(True, f"{found.address}.kubeconfig") or ""
    headers = {"Content-Disposition": name}
    return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


@signed_in
@require_GET
def issued(request: HttpRequest, cluster: str) -> HttpResponse:
    """The asker's tokens for the cluster, as a part of its page."""
    found = get_cluster_or_404(request.user, cluster)
    context = {"cluster": found, "tokens": tokens.list_issued(request.user, found)}
    return render(request, "access/_tokens.html", context)


@signed_in
@require_POST
def revoke(request: HttpRequest, cluster: str, token: int) -> HttpResponse:
    """End one of the asker's tokens; one that has ended already is no error."""
    found = get_cluster_or_404(request.user, cluster)
    tokens.list_issued(request.user, found).filter(pk=token).delete()
    context = {"cluster": found, "tokens": tokens.list_issued(request.user, found)}
    return render(request, "access/_tokens.html", context)
