"""Whether a service account may do something, by the roles that are stored and those every cluster has.

Components of the control plane may do all they do; this is about programs in containers.
"""

from __future__ import annotations

from ..rules.access import bootstrap
from ..rules.access.accounts import make_account_user
from ..rules.access.attributes import Attributes, tell_forbidden
from ..rules.access.policy import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING, Policy
from ..store.store import Store

_KINDS = (ROLE, ROLE_BINDING, CLUSTER_ROLE, CLUSTER_ROLE_BINDING)


def is_enforceable(store: Store) -> bool:
    """Whether anybody has said who may do what: without a single role or binding nobody is held to any."""
    return any(True for kind in _KINDS for _ in store.list(kind))


def tell_refusal(store: Store, account: tuple[str, str], asked: Attributes) -> str:
    """Why an account, (namespace, name), may not do something; "" where it may."""
    user = make_account_user(*account)
    decision = _read_policy(store).decide(user, asked)
    return "" if decision.is_allowed else tell_forbidden(user, asked, decision.reason)


def _read_policy(store: Store) -> Policy:
    roles, bindings, cluster_roles, cluster_bindings = (
        [one.to_json() for one in store.list(kind)] for kind in _KINDS
    )
    return Policy(
        bootstrap.add_bootstrap(roles, bootstrap.list_roles()),
        bootstrap.add_bootstrap(bindings, bootstrap.list_role_bindings()),
        bootstrap.add_bootstrap(cluster_roles, bootstrap.list_cluster_roles()),
        bootstrap.add_bootstrap(cluster_bindings, bootstrap.list_cluster_role_bindings()),
    )
