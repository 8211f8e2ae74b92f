"""Which objects have a page of their own, and where it is: the addresses say."""

from __future__ import annotations

from functools import cache

from django.urls import Resolver404, resolve, reverse

from lifecycle.engine.objects.kinds import kind_of_id


def find_page(kind_id: str, namespace: str, name: str) -> str:
    """The address below its cluster's: `deployments/shop/web/`; "" for a kind that has no page."""
    folder = _find_folder(kind_id)
    return f"{folder}/{namespace}/{name}/" if folder else ""


@cache
def _find_folder(kind_id: str) -> str:
    plural = kind_of_id(kind_id).plural
    try:
        resolve(f"{reverse('cluster', args=['any'])}{plural}/any/any/")
    except Resolver404:
        return ""
    return plural
