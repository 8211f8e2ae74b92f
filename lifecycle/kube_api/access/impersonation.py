"""Acting as somebody else: the headers that ask for it, and whether the one who asks may.

Models the impersonation filter of the API server (apiserver/pkg/endpoints/filters/impersonation).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from lifecycle.engine.rules.access.accounts import list_groups, split_username
from lifecycle.engine.rules.access.attributes import (
    ANONYMOUS,
    AUTHENTICATED,
    UNAUTHENTICATED,
    Attributes,
    UserInfo,
)
from lifecycle.kube_api.access.authorization import require_allowed
from lifecycle.kube_api.access.callers import Caller
from lifecycle.kube_api.status import bad_request

_USER, _GROUP, _UID = "impersonate-user", "impersonate-group", "impersonate-uid"
_EXTRA = "impersonate-extra-"
_AUTHENTICATION = "authentication.k8s.io"
Headers = Iterable[tuple[str, str]]


@dataclass(slots=True)
class Wanted:
    """Who a request is to be done as."""

    user: str = ""
    uid: str = ""
    groups: list[str] = field(default_factory=list)
    extra: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_any(self) -> bool:
        """Whether anything is asked for."""
        return bool(self.user or self.uid or self.groups or self.extra)


def act_as_asked(caller: Caller, headers: Headers) -> Caller:
    """The caller, as who it asks to be. Raises Refusal: 400 for what of nobody is asked for, 403 for who
    may not."""
    wanted = read_wanted(headers)
    if not wanted.is_any:
        return caller
    if not wanted.user:
        raise bad_request(f"requested [{' '.join(_tell_wanted(wanted))}] without impersonating a user")
    for one in _list_attributes(wanted):
        require_allowed(caller, one)
    extra = {name: tuple(values) for name, values in wanted.extra.items()}
    return caller.acting_as(UserInfo(wanted.user, _decide_groups(wanted), wanted.uid, extra))


def read_wanted(headers: Headers) -> Wanted:
    """What the headers of a request ask for; of a header that says one thing the first one counts."""
    wanted = Wanted()
    for header, value in headers:
        name = header.lower()
        if name == _USER:
            wanted.user = wanted.user or value
        elif name == _UID:
            wanted.uid = wanted.uid or value
        elif name == _GROUP:
            wanted.groups.append(value)
        elif name.startswith(_EXTRA):
            wanted.extra.setdefault(unquote(name.removeprefix(_EXTRA)), []).append(value)
    return wanted


def _list_attributes(wanted: Wanted) -> Iterator[Attributes]:
    """What one has to be allowed, one thing after the other."""
    account = split_username(wanted.user)
    if account is not None:
        namespace, name = account
        yield Attributes("impersonate", resource="serviceaccounts", namespace=namespace, name=name)
    else:
        yield Attributes("impersonate", resource="users", name=wanted.user)
    for group in wanted.groups:
        yield Attributes("impersonate", resource="groups", name=group)
    for key, values in wanted.extra.items():
        for value in values:
            yield Attributes("impersonate", _AUTHENTICATION, "userextras", key, name=value)
    if wanted.uid:
        yield Attributes("impersonate", _AUTHENTICATION, "uids", name=wanted.uid)


def _decide_groups(wanted: Wanted) -> tuple[str, ...]:
    """The groups of who is impersonated: those that were asked for, and the one that all are in."""
    groups, account = wanted.groups, split_username(wanted.user)
    if account is not None and not groups:
        groups = list(list_groups(account[0]))
    if wanted.user == ANONYMOUS:
        return (*groups, *([] if UNAUTHENTICATED in groups else [UNAUTHENTICATED]))
    is_said = AUTHENTICATED in groups or UNAUTHENTICATED in groups
    return (*groups, *([] if is_said else [AUTHENTICATED]))


def _tell_wanted(wanted: Wanted) -> Iterator[str]:
    """As Go prints the object references that the API server makes of the headers."""
    for group in wanted.groups:
        yield f"{{Group  {group}    }}"
    for key, values in wanted.extra.items():
        for value in values:
            yield f"{{UserExtra  {value}  {_AUTHENTICATION}/v1  {key}}}"
    if wanted.uid:
        yield f"{{UID  {wanted.uid}  {_AUTHENTICATION}/v1  }}"
