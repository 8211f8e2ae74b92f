"""Who asks for something: the user of Podline behind a request, and the user that the cluster sees."""

from dataclasses import dataclass, replace
from typing import Any

from lifecycle.access import Verb, may
from lifecycle.engine.rules.access.attributes import AUTHENTICATED, MASTERS, UserInfo
from lifecycle.models import Cluster


@dataclass(frozen=True, slots=True)
class Caller:
    """A user of Podline who may look at the cluster, and who that is inside of it.

    `is_restricted`: it acts as somebody else, a service account or whom it impersonates. The cluster's own
    roles then say what it may do, within what the user may do to the cluster.
    """

    user: Any
    cluster: Cluster
    info: UserInfo
    is_restricted: bool = False

    def acting_as(self, info: UserInfo) -> "Caller":
        """The same, as somebody else."""
        return replace(self, info=info, is_restricted=True)

    def may(self, verb: str) -> bool:
        """Whether the user of Podline may do what rules call by this verb, whoever they act as."""
        return may(self.user, self.cluster, Verb.VIEW if verb in READING else Verb.CHANGE)


READING = {"get", "list", "watch"}


def describe_user(user: Any, cluster: Cluster) -> UserInfo:
    """A user of Podline as the cluster sees one: who may change it is its master."""
    groups = (MASTERS,) if may(user, cluster, Verb.CHANGE) else ()
    return UserInfo(user.get_username(), (*groups, AUTHENTICATED), str(user.pk))
