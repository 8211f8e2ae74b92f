"""Lists: which objects, from where on, as of which version, and the token to go on with."""

from __future__ import annotations

import base64
import binascii
import json
import posixpath
from collections import deque
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from lifecycle.engine.rules.limits.json_bounds import find_excess
from lifecycle.engine.rules.validation.words.field_error import FieldError, forbidden, not_supported
from lifecycle.kube_api.asking import field_selectors, label_selectors
from lifecycle.kube_api.asking.field_selectors import FieldSelector
from lifecycle.kube_api.asking.go_json import find_syntax_error
from lifecycle.kube_api.asking.label_selectors import LabelSelector
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.asking.write_options import raise_invalid
from lifecycle.kube_api.describing.conversions import to_served
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import heartbeats, reads, standing, trace_events, versions
from lifecycle.kube_api.reading.narrowing import narrow
from lifecycle.kube_api.status import Refusal, bad_request
from lifecycle.kube_api.watching.places import key_of
from lifecycle.models import Cluster

Json = dict[str, Any]
EXACT, NOT_OLDER = "Exact", "NotOlderThan"
_TOKEN_VERSION = "meta.k8s.io/v1"
_FIRST_CHUNK, MOST_IN_CHUNK, CHUNK_BYTES = 32, 128, 256 * 1024
_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list"
    " without the continue parameter, or use the continue token in this response to retrieve the remainder of"
    " the results. Continuing with the provided token results in an inconsistent list - objects that were"
    " created, modified, or deleted between the time the first chunk was returned and now may show up in the"
    " list."
)
_GONE = "The resourceVersion for the provided list is too old."


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a resource are meant."""

    resource: Resource
    namespace: str | None
    labels: LabelSelector = ()
    fields: FieldSelector = ()

    @property
    def is_all(self) -> bool:
        """Whether it leaves nothing out."""
        return not self.labels and not self.fields

    @property
    def narrowed(self) -> Q:
        """What the database can look at of it."""
        return narrow(self.labels, self.fields)

    def takes(self, data: Json) -> bool:
        """Whether an object, as it is served, is meant."""
        labels = data["metadata"].get("labels") or {}
        return label_selectors.matches(self.labels, labels) and field_selectors.matches(self.fields, data)


@dataclass(slots=True)
class Page:
    """Objects as they are served, of one version of the cluster; `token` goes on behind the last."""

    items: list[Json]
    version: str
    token: str = ""
    remaining: int | None = None


def select(resource: Resource, namespace: str | None, name: str, options: Options) -> Selection:
    """The selection of a request; a `name` in the path selects it alone. Raises Refusal (400)."""
    labels = label_selectors.parse(options.get("labelSelector", ""))
    fields = field_selectors.parse(options.get("fieldSelector", ""), resource)
    if name:
        fields = (*fields, *field_selectors.parse(f"metadata.name={name}", resource))
    return Selection(resource, namespace, labels, fields)


def read_page(cluster: Cluster, selection: Selection, options: Options) -> Page:
    """All that a list answers. Raises Refusal (400, 410, 422, 504)."""
    found = begin(cluster, selection, options)
    if isinstance(found, Page):
        return found
    while items := found.read_chunk():
        found.page.items += items
    return found.page


def begin(cluster: Cluster, selection: Selection, options: Options) -> Page | Walk:
    """A list, to be read chunk by chunk; of Events, which are made from the trace, all of it.

    Raises Refusal (400, 410, 422, 504).
    """
    limit = max(options.whole("limit") or 0, 0)
    options.whole("timeoutSeconds")
    _check(options)
    if selection.resource.kind_id == reads.EVENTS:
        return _read_events(cluster, selection, options, limit)
    start, version = _find_start(cluster, options, limit)
    if options.get("resourceVersion") == "0":
        # From the cache, which knows no pages.
        limit = 0
    return Walk(cluster, selection, start, limit, version)


def _read_events(cluster: Cluster, selection: Selection, options: Options, limit: int) -> Page:
    """Events as they are now, whatever version is asked for: they are kept for an hour only."""
    _parse(options.get("resourceVersion", ""))
    token = options.get("continue", "")
    start = read_token(token)[0] if token else ""
    about = field_selectors.value_of(selection.fields, "involvedObject.uid")
    loaded = reads.load_events(cluster, selection.resource, selection.namespace, about)
    items = [data for data in _taken(selection, loaded) if _key_in(selection, data) >= start]
    page = Page(items[:limit] if limit else items, str(trace_events.version_of(cluster.seq, cluster.rv)))
    if limit and len(items) > limit:
        page.token = make_token(f"{_key_in(selection, page.items[-1])}\0", -1)
    return page


class Walk:
    """A list as it is read: few objects at once, however many and however large they are.

    `page` has what is said of the whole; its token is known once the last chunk is read.
    """

    def __init__(self, cluster: Cluster, selection: Selection, start: str, limit: int, version: int) -> None:
        self.cluster, self.selection, self.start, self.limit = cluster, selection, start, limit
        self.version, self.page, self.taken = version, Page([], str(version)), 0
        keys = reads.keys(cluster, selection.resource, selection.namespace, version, selection.narrowed)
        self.standing = {
            one["metadata"]["uid"]: one
            for one in standing.list_all(cluster, selection.resource, selection.namespace)
        }
        keys += [(reads.key_of_json(one), uid) for uid, one in self.standing.items()]
        self.keys = sorted((_within(selection, key), uid) for key, uid in keys)
        self.left = deque(one for one in self.keys if one[0] >= start)
        self.count, self.size_bytes, self.last = _FIRST_CHUNK, 0, ""
        self.beat = heartbeats.make_reader(cluster, selection.resource)

    def read_chunk(self) -> list[Json]:
        """The next objects, as they are served; [] behind the last. Raises Refusal (410).

        It asks the database anew, so that whichever thread may call it.
        """
        while self.left:
            uids = [self.left.popleft()[1] for _ in range(min(self.count, len(self.left)))]
            try:
                loaded = reads.load_some(self.cluster, uids, self.version)
            except versions.Expired:
                raise _expired(self.start) from None
            loaded += [self.standing[uid] for uid in uids if uid in self.standing]
            if found := self._take(_taken(self.selection, sorted(loaded, key=reads.key_of_json))):
                return self.beat(found)
        return []

    def adapt(self, size_bytes: int) -> None:
        """Say how large the last chunk was: the next one is to be about as large as one should be."""
        self.size_bytes = size_bytes
        fewer = self.count * CHUNK_BYTES // max(size_bytes, 1)
        self.count = max(1, min(fewer, self.count * 2, MOST_IN_CHUNK))

    def _take(self, found: list[Json]) -> list[Json]:
        """Of what was found what there is room for on the page; the token where there is more."""
        room = self.limit - self.taken if self.limit else len(found)
        kept = found[:room]
        self.taken += len(kept)
        self.last = _key_in(self.selection, kept[-1]) if kept else self.last
        if len(found) > room:
            self.page.token = make_token(f"{self.last}\0", self.version)
            if self.selection.is_all:
                self.page.remaining = sum(key > self.last for key, _ in self.keys)
            self.left.clear()
        return kept


def _taken(selection: Selection, stored: list[Json]) -> list[Json]:
    served = (to_served(selection.resource, data) for data in stored)
    return [data for data in served if selection.takes(data)]


def _within(selection: Selection, key: str) -> str:
    """A key as tokens name it: below the namespace that is listed."""
    return key.partition("/")[2] if selection.namespace is not None else key


def _key_in(selection: Selection, data: Json) -> str:
    meta = data["metadata"]
    return _within(selection, key_of(meta.get("namespace"), meta["name"]))


# --- what is asked for ------------------------------------------------------------------------------------


def _check(options: Options) -> None:
    match = options.get("resourceVersionMatch", "")
    errors: list[FieldError] = []
    path = "resourceVersionMatch"
    if match:
        if not options.get("resourceVersion"):
            errors.append(forbidden(path, f"{path} is forbidden unless resourceVersion is provided"))
        if options.get("continue"):
            errors.append(forbidden(path, f"{path} is forbidden when continue is provided"))
        if match not in (EXACT, NOT_OLDER):
            errors.append(not_supported(path, match, (EXACT, NOT_OLDER, "")))
        if match == EXACT and options.get("resourceVersion") == "0":
            errors.append(forbidden(path, f'{path} "exact" is forbidden for resourceVersion "0"'))
    if "sendInitialEvents" in options:
        errors.append(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    raise_invalid("ListOptions", errors)


def _find_start(cluster: Cluster, options: Options, limit: int) -> tuple[str, int]:
    """The key to begin at, "" for the first, and the version to list."""
    token, text = options.get("continue", ""), options.get("resourceVersion", "")
    if token:
        start, version = read_token(token)
        if text not in ("", "0"):
            raise bad_request("specifying resource version is not allowed when using continue")
        if version < 0:
            return start, cluster.rv
        return start, _require(cluster, version, start)
    wanted = _parse(text)
    match = options.get("resourceVersionMatch", "")
    if wanted > cluster.rv:
        raise versions.too_large(wanted, cluster.rv)
    is_exact = match == EXACT or (not match and limit > 0)
    return "", _require(cluster, wanted, "") if is_exact and wanted else cluster.rv


def _parse(text: str) -> int:
    try:
        return versions.parse(text)
    except versions.NotANumber as problem:
        raise bad_request(f"invalid resource version: {versions.complain(text, problem)}") from None


def _require(cluster: Cluster, version: int, start: str) -> int:
    if version > cluster.rv:
        raise versions.too_large(version, cluster.rv)
    if versions.is_too_old(cluster, version):
        raise _expired(start)
    return version


def _expired(start: str) -> Refusal:
    refusal = Refusal(410, _TOO_OLD if start else _GONE, "Expired")
    if start:
        refusal.metadata = {"continue": make_token(start, -1)}
    return refusal


# --- tokens -----------------------------------------------------------------------------------------------


def make_token(start: str, version: int) -> str:
    """A token that goes on at a key, of a version, or of the latest where that is -1."""
    written = json.dumps({"v": _TOKEN_VERSION, "rv": version, "start": start}, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def read_token(token: str) -> tuple[str, int]:
    """The key and the version of a token. Raises Refusal (400)."""
    try:
        return _decode_token(token)
    except ValueError as problem:
        raise bad_request(f"invalid continue token: continue key is not valid{problem}") from None


def _decode_token(token: str) -> tuple[str, int]:
    try:
        if not token.isascii() or "+" in token or "/" in token:
            raise binascii.Error
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise ValueError(": illegal base64 data at input byte 0") from None
    text = data.decode("utf-8", "replace")
    problem = find_excess(text) or find_syntax_error(text)
    if problem:
        raise ValueError(f": {problem}")
    found = json.loads(text)
    found = found if isinstance(found, dict) else {}
    version, start, kind = found.get("rv"), found.get("start"), found.get("v")
    if kind != _TOKEN_VERSION:
        raise ValueError(
            f": server does not recognize this encoded version {kind if isinstance(kind, str) else ''}"
        )
    if isinstance(version, bool) or not isinstance(version, int) or version == 0 or abs(version) >= 2**63:
        raise ValueError(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not isinstance(start, str) or not start:
        raise ValueError(": encoded start key empty (version meta.k8s.io/v1)")
    key = start if start.startswith("/") else f"/{start}"
    if posixpath.normpath(key) != key:
        raise ValueError(f": {start}")
    return key[1:], version
