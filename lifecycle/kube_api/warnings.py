"""Warnings as headers of an answer (RFC 7234, with the code that Kubernetes uses).

Whoever hears of one notes it at the request, as apiserver's warning recorder does: it reaches the answer
whatever that comes to be, a refusal as well.
"""

from collections.abc import Iterable

from django.http import HttpRequest

from lifecycle.kube_api.describing.resource import Resource

_CODE = 299
_MOST_LETTERS = 4096
_NOTED = "podline.warnings"


def note(request: HttpRequest, texts: Iterable[str]) -> None:
    """Have the answer to a request warn of these."""
    request.META.setdefault(_NOTED, []).extend(texts)


def note_deletion(request: HttpRequest, resource: Resource, propagation: str | None) -> None:
    """Have it warn of what becomes of dependents, where the deletion does not say."""
    if propagation is None and resource.served.warning_of_deletion:
        note(request, [resource.served.warning_of_deletion])


def list_noted(request: HttpRequest) -> list[str]:
    """What was noted, in that order."""
    return list(request.META.get(_NOTED, ()))


def make_header(text: str) -> str:
    """One warning: printable, quoted, and not beyond all bounds."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text[:_MOST_LETTERS])
    quoted = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'{_CODE} - "{quoted}"'
