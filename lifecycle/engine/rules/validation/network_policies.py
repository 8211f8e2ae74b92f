"""NetworkPolicies: whom pods hear and speak to."""

from __future__ import annotations

from .words.addresses import check_network, read_network
from .words.names import check_port_name
from .words.part import Part, gathers
from .words.selectors import validate_selector

_TYPES = ("Ingress", "Egress")
_PROTOCOLS = ("TCP", "UDP", "SCTP")


@gathers("spec")
def validate_network_policy(spec: Part) -> None:
    """The pods it is about, its rules, its directions."""
    spec.apply("podSelector", validate_selector)
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for rule in spec.parts(direction):
            for port in rule.parts("ports"):
                _validate_port(port)
            for peer in rule.parts(peers):
                _validate_peer(peer)
    types = spec["policyTypes"] or ()
    if len(types) > len(_TYPES):
        spec.refuse("policyTypes", "may not specify more than two policyTypes")
        return
    for index, kind in enumerate(types):
        spec.support(f"policyTypes[{index}]", _TYPES, kind)


def _validate_port(given: Part) -> None:
    port, last = given["port"], given["endPort"]
    given.choice("protocol", _PROTOCOLS)
    if port is None or isinstance(port, str):
        if last is not None:
            why = "not specified" if port is None else "non-numeric"
            given.refuse("endPort", f"may not be specified when `port` is {why}")
        if port is not None:
            given.complain("port", check_port_name(port))
        return
    given.within("port", 1, 65535)
    if last is not None and last < port:
        # The API server does show the port.
        given.refuse("endPort", "must be greater than or equal to `port`", port)
    given.within("endPort", 1, 65535)


def _validate_peer(peer: Part) -> None:
    peer.apply("podSelector", validate_selector)
    peer.apply("namespaceSelector", validate_selector)
    if peer["ipBlock"] is not None:
        _validate_block(peer.part("ipBlock"))
    given = peer.list_given(("podSelector", "namespaceSelector", "ipBlock"))
    if not given:
        peer.require("", "must specify a peer")
    elif len(given) > 1 and "ipBlock" in given:
        peer.forbid("", "may not specify both ipBlock and another peer")


def _validate_block(block: Part) -> None:
    """A range of addresses, and what is left out of it."""
    if not block["cidr"]:
        block.require("cidr")
        return
    block.errors += check_network(block.at("cidr"), block["cidr"])
    network = read_network(block["cidr"])
    if network is None:
        return
    for index, left_out in enumerate(block["except"] or ()):
        place, part = f"except[{index}]", read_network(left_out)
        block.errors += check_network(block.at(place), left_out)
        if part is None:
            continue
        is_within = part.version == network.version and part.network_address in network
        if not is_within or part.prefixlen <= network.prefixlen:
            block.refuse(place, "must be a strict subset of `cidr`", left_out)
