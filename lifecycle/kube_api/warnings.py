"""Warnings as headers of an answer (RFC 7234, with the code that Kubernetes uses).

Whoever hears of one notes it at the request, as apiserver's warning recorder does: it reaches the answer
whatever that comes to be, a refusal as well.
"""

from collections.abc import Iterable

from django.http import HttpRequest

from lifecycle.kube_api.describing.resource import Resource

_CODE = 299
_MOST_LETTERS, _MOST_OF_ONE = 4096, 256
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


def make_headers(texts: Iterable[str]) -> list[str]:
    """A header for each text, once, bounded as the API server bounds them (apiserver, filters/warning.go).

    Where all have more than 4,096 letters, each is cut to its first 256, until there are so many.
    """
    every = [text for text in dict.fromkeys(texts) if text]
    if sum(map(len, every)) <= _MOST_LETTERS:
        return [_make_header(text) for text in every]
    headers, read, written = [], 0, 0
    for text in every:
        # What is first too much is told all the same.
        if read > _MOST_LETTERS <= written:
            break
        cut = text[:_MOST_OF_ONE]
        headers.append(_make_header(cut))
        read, written = read + len(text), written + len(cut)
    return headers


def _make_header(text: str) -> str:
    """Printable, and quoted."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    quoted = shown.replace("\\", "\\\\").replace('"', '\\"')
    return f'{_CODE} - "{quoted}"'
