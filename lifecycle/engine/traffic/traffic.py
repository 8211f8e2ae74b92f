"""Follows Services, slices, nodes and programs, and tells what becomes of the requests to each Service.

Nothing is sent: between two changes every part of the requests fares alike (`sender`). Of many nodes some
stand for all: senders are taken to be spread evenly over them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..api.context import Context
from ..heart.agenda import Timer
from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ..objects.meta import StoredObject
from ..objects.names import ZONE
from ..rules.network.requests import (
    DNS,
    INGRESS,
    LOAD_BALANCER_SENDER,
    PODS,
    decide_senders,
    find_port,
)
from ..rules.network.service_routing import is_ready
from ..rules.network.services import HEADLESS_LABEL, SERVICE_NAME_LABEL, is_headless
from .balancers import TIMER as BALANCE
from .balancers import Balancer, Balancers
from .changes import list_changes
from .followers import PROXY, Change, Follower, Followers
from .routes import Routes
from .saving import load_endpoints, load_follower, load_sender, save_follower, save_service
from .sender import Sender
from .service import BY_NODE, ServiceTraffic
from .view import View
from .watcher import Watcher

NAME = "traffic"
MOST_NODES = 8
"""Of so many nodes at most the senders and kube-proxies are followed."""
_LAGS = {INGRESS: "ingress", DNS: "dns"}


class Traffic:
    """The requests to every Service of a cluster that selects pods."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._connections = context.connections
        self.services: dict[str, ServiceTraffic] = {}
        self._uids: dict[tuple[str, str], str] = {}
        self._watcher = Watcher(context, self.services, self._check)
        self._routes = Routes(context.store, self._on_route)
        self._nodes: dict[str, str] = {}
        self._followers = Followers(context, self._apply)
        self._balancers = Balancers(context)
        self._connections.on_node = self._on_outage
        self._connections.list_known = self._list_known
        context.loop.register(NAME, self._look)
        context.loop.on_timer(BALANCE, self._on_balance)
        context.store.listen("Service", self._on_service)
        context.store.listen(ENDPOINT_SLICE_KIND.id, self._on_slice)
        context.store.listen("Node", self._on_node)

    # --- what is asked ------------------------------------------------------------------------------------

    def find(self, namespace: str, name: str) -> ServiceTraffic | None:
        """The requests to a Service, followed until now; None for one that gets none."""
        service = self.services.get(self._uids.get((namespace, name), ""))
        if service is not None:
            service.settle(self._context.clock.now_ms)
        return service

    def _list_known(self, uid: str, node: str) -> Sequence[dict[str, Any]] | None:
        service = self.services.get(uid)
        sender = service.find_by_node() if service is not None else None
        if sender is None or not sender.views:
            return None
        # One of those that stand for all the others.
        names = [node] if node in sender.views else sorted(sender.views)
        view = sender.views[names[int(self._context.chance.draw("proxy", node) * len(names))]]
        return [{"ports": target.ports, "endpoints": [target.data]} for target in view.known.values()]

    # --- Services and routes ----------------------------------------------------------------------------

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._forget(old.meta.uid)
            return
        known = self.services.get(new.meta.uid)
        if find_port(new.spec or {}) is None:
            self._forget(new.meta.uid)
        elif known is None:
            self._begin(new)
        elif old is None or old.spec != new.spec or old.meta.annotations != new.meta.annotations:
            known.settle(self._context.clock.now_ms)
            known.take(new)
            self._set_senders(known)
        elif old.status_json() != new.status_json():
            self._check(known)

    def _begin(self, found: StoredObject) -> None:
        service = self.services[found.meta.uid] = ServiceTraffic(found)
        self._uids[service.namespace, service.name] = service.uid
        for entry in self._context.services.slices_of(service.namespace, service.name):
            self._watcher.take_changes(service, list_changes(None, entry), entry.meta.uid)
        self._set_senders(service)

    def _forget(self, uid: str) -> None:
        service = self.services.pop(uid, None)
        if service is None:
            return
        del self._uids[service.namespace, service.name]
        for endpoint in service.endpoints.values():
            self._watcher.unwatch(service, endpoint)
        for sender in service.senders:
            self._followers.drop(f"{sender}|{uid}")
        self._followers.forget(uid)
        self._balancers.drop(uid)

    def _on_route(self, key: tuple[str, str]) -> None:
        service = self.services.get(self._uids.get(key, ""))
        if service is not None:
            service.settle(self._context.clock.now_ms)
            self._set_senders(service)

    def _set_senders(self, service: ServiceTraffic) -> None:
        """Have those send who do; a new one knows what there is, and begins with the first endpoint."""
        now_ms = self._context.clock.now_ms
        wanted = service.plan.senders
        if wanted is None:
            is_routed = self._routes.is_routed((service.namespace, service.name))
            wanted = decide_senders(service.spec, is_routed)
        for name in [one for one in service.senders if one not in wanted]:
            gone = service.senders.pop(name)
            gone.stop()
            self._tell(service, gone)
            self._followers.drop(f"{name}|{service.uid}")
        for name in wanted:
            self._set_views(service, service.senders.setdefault(name, Sender(name, now_ms)))
        is_by_node = is_headless(service.spec) or any(name in BY_NODE for name in wanted)
        service.unsent = None if is_by_node else service.unsent or Sender(PODS, now_ms)
        if service.unsent is not None:
            self._set_views(service, service.unsent)
        self._check(service)

    def _set_views(self, service: ServiceTraffic, sender: Sender) -> None:
        is_by_node, is_local = sender.name in BY_NODE, service.is_local(sender.name)
        wanted = self._nodes if is_by_node else {"": ""}
        for name in [one for one in sender.views if one not in wanted]:
            del sender.views[name]
        if not is_by_node:
            follower = f"{sender.name}|{service.uid}"
            if follower not in self._followers.all:
                self._followers.all[follower] = Follower(follower, _LAGS[sender.name])
        for name, zone in wanted.items():
            view = sender.views.get(name)
            if view is None or view.is_local != is_local:
                since_ms = view.since_ms if view is not None else None
                view = sender.views[name] = View(name, zone, is_local)
                view.since_ms = since_ms
                self._fill(service, view)
            view.is_off = is_by_node and not self._connections.find_standing(name).is_on

    def _fill(self, service: ServiceTraffic, view: View) -> None:
        """A new view knows all that stands in the slices."""
        changes: list[Change] = []
        for entry in self._context.services.slices_of(service.namespace, service.name):
            changes += list_changes(None, entry)
        service.learn(view, changes, self._context.clock.now_ms)

    def _list_by_node(self, service: ServiceTraffic) -> list[Sender]:
        found = [service.senders[name] for name in BY_NODE if name in service.senders]
        return found if service.unsent is None else [*found, service.unsent]

    # --- nodes --------------------------------------------------------------------------------------------

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        name = some.meta.name
        if old is not None and new is not None:
            zone = new.meta.labels.get(ZONE, "")
            if name in self._nodes and self._nodes[name] != zone:
                self._nodes[name] = zone
                self._renew_views(name)
            return
        wanted = self._choose_nodes()
        if wanted == self._nodes:
            return
        for gone in [one for one in self._nodes if one not in wanted]:
            self._followers.drop(gone)
        for come in wanted:
            if come not in self._nodes:
                follower = self._followers.all[come] = Follower(come, PROXY, come)
                follower.hears = self._connections.find_standing(come).hears
        self._nodes = wanted
        self._renew_views()

    def _choose_nodes(self) -> dict[str, str]:
        nodes = list(self._store.list("Node"))
        if len(nodes) > MOST_NODES:
            draw = self._context.chance.draw
            nodes = sorted(nodes, key=lambda one: draw("proxy", one.meta.name))[:MOST_NODES]
        return {one.meta.name: one.meta.labels.get(ZONE, "") for one in nodes}

    def _renew_views(self, moved: str = "") -> None:
        """Have each node that counts looked at from; a view from one that has another zone begins anew."""
        for service in self.services.values():
            service.settle(self._context.clock.now_ms)
            for sender in self._list_by_node(service):
                sender.views.pop(moved, None)
                self._set_views(service, sender)
            self._check(service)

    def _on_outage(self, node: str) -> None:
        """A machine goes off or on, or is cut off and hears again."""
        now_ms, standing = self._context.clock.now_ms, self._connections.find_standing(node)
        follower = self._followers.all.get(node)
        if follower is not None:
            self._followers.listen(follower, standing.hears and standing.is_on)
        for service in self.services.values():
            service.settle(now_ms)
            for sender in self._list_by_node(service):
                if node in sender.views:
                    sender.views[node].is_off = not standing.is_on
            self._check(service)

    # --- slices -------------------------------------------------------------------------------------------

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        name = some.meta.labels.get(SERVICE_NAME_LABEL)
        if not name:
            return
        service = self.services.get(self._uids.get((some.meta.namespace or "", name), ""))
        changes = list_changes(old, new)
        if not changes:
            return
        uid = service.uid if service is not None else ""
        if service is not None:
            service.settle(self._context.clock.now_ms)
            changes = self._watcher.take_changes(service, changes, some.meta.uid)
        followers = (
            [] if HEADLESS_LABEL in some.meta.labels else [self._followers.all[one] for one in self._nodes]
        )
        if service is not None:
            names = (f"{one}|{uid}" for one in service.senders if one not in BY_NODE)
            followers += [self._followers.all[name] for name in names]
        for part, late_ms in self._followers.part(uid, changes):
            # Who comes harms nobody; that somebody goes may matter before it is known.
            is_progress = any(target is None or not is_ready(target.data) for _key, target in part)
            for follower in followers:
                self._followers.tell(follower, uid, part, is_progress, late_ms)
        if service is not None:
            self._check(service)

    # --- what has become known --------------------------------------------------------------------------

    def _apply(self, follower: Follower, uid: str, changes: Sequence[Change]) -> None:
        """A follower knows of changes now."""
        service = self.services.get(uid)
        if service is None:
            return
        now_ms = self._context.clock.now_ms
        service.settle(now_ms)
        if follower.node:
            senders = self._list_by_node(service)
        else:
            senders = [service.senders[follower.name.partition("|")[0]]]
        for sender in senders:
            if follower.node in sender.views:
                service.learn(sender.views[follower.node], changes, now_ms)
        for endpoint in service.drop_unknown(key for key, target in changes if target is None):
            self._watcher.unwatch(service, endpoint)
        self._check(service)

    def _on_balance(self, timer: Timer) -> None:
        service = self.services.get(timer.target)
        if service is not None:
            service.settle(self._context.clock.now_ms)
            self._balancers.learn(service.uid, timer.payload)
            self._check(service)

    # --- save and load ----------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "services": {uid: save_service(service) for uid, service in self.services.items()},
            "followers": [save_follower(one) for one in self._followers.all.values()],
            "balancers": {uid: one.save() for uid, one in self._balancers.all.items()},
        }

    def take_up(self, data: Any) -> bool:
        """Go on from what another engine saved; whether it could be read."""
        try:
            self.load(data)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            self.services.clear()
            self._uids.clear()
            self._watcher.clear()
            self.load(None)
            return False
        return True

    def load(self, data: Mapping[str, Any] | None) -> None:
        """Go on from what `save` described, or from nothing; store and kubelets are restored before."""
        self._routes.restore()
        self._nodes = self._choose_nodes()
        saved: Mapping[str, Any] = data or {}
        self._followers.all = {one["name"]: load_follower(one) for one in saved.get("followers", ())}
        for node in self._nodes:
            self._followers.all.setdefault(node, Follower(node, PROXY, node))
        self._balancers.all = {uid: Balancer.load(one) for uid, one in saved.get("balancers", {}).items()}
        for service in self._store.list("Service"):
            if find_port(service.spec or {}) is not None:
                known = saved.get("services", {}).get(service.meta.uid)
                if known is None:
                    self._begin(service)
                else:
                    self._restore(ServiceTraffic(service), known)

    def _restore(self, service: ServiceTraffic, data: Mapping[str, Any]) -> None:
        self.services[service.uid] = service
        self._uids[service.namespace, service.name] = service.uid
        load_endpoints(service, data["endpoints"])
        self._watcher.restore(service)
        for saved in data["senders"]:
            service.senders[saved["name"]] = self._load_sender(service, saved)
        if data["unsent"] is not None:
            service.unsent = self._load_sender(service, data["unsent"])
        # What was to be looked at is in the saved queue.
        self._find_sending(service)

    def _load_sender(self, service: ServiceTraffic, data: dict[str, Any]) -> Sender:
        sender = load_sender(service, data, self._nodes)
        for node, view in sender.views.items():
            view.is_off = bool(node) and not self._connections.find_standing(node).is_on
        return sender

    # --- what comes of it -------------------------------------------------------------------------------

    def _check(self, service: ServiceTraffic) -> None:
        """Something is otherwise, and what was before is summed up: who sends now, and is it to be told?"""
        self._find_sending(service)
        if any(sender.has_news(service.keeps_alive) for sender in service.senders.values()):
            self._context.loop.enqueue_last(NAME, service.namespace, service.name)

    def _find_sending(self, service: ServiceTraffic) -> None:
        for sender in service.senders.values():
            if sender.name == LOAD_BALANCER_SENDER:
                continue
            sender.sending = [
                view for view in sender.views.values() if view.since_ms is not None and not view.is_off
            ]
        self._balance(service)

    def _balance(self, service: ServiceTraffic) -> None:
        sender = service.senders.get(LOAD_BALANCER_SENDER)
        found = self._store.get("Service", service.namespace, service.name) if sender is not None else None
        self._balancers.check(service, found.status_json() if found is not None else None)
        if sender is None:
            return
        believed = self._balancers.all[service.uid].believed
        sender.sending = [
            view
            for name, view in sender.views.items()
            if view.since_ms is not None and name in (believed or ())
        ]
        sender.is_stranded = believed is not None and not believed

    def _look(self, namespace: str, name: str) -> None:
        """Tell what is lost now, where that is not what was told."""
        service = self.services.get(self._uids.get((namespace, name), ""))
        if service is None:
            return
        for sender in service.senders.values():
            self._tell(service, sender)

    def _tell(self, service: ServiceTraffic, sender: Sender) -> None:
        news = sender.take_news(service.keeps_alive)
        if news is not None:
            old, value, reason, detail = news
            field = f"requests.{sender.name}"
            self._context.trace.transition(service.subject, field, old, value, reason, None, detail)
