"""How a pod finds others by their names: its name servers, and hosts of its own."""

from __future__ import annotations

from ..words.addresses import check_address
from ..words.names import check_subdomain, check_subdomain_with_underscores
from ..words.part import Part

_MOST_SERVERS, _MOST_SEARCHES, _MOST_SEARCH_CHARACTERS = 3, 32, 2048


def validate_dns(spec: Part) -> None:
    """Where names are looked up; a pod without the cluster's name server has to say where."""
    if spec["dnsPolicy"] == "None" and spec["dnsConfig"] is None:
        spec.require("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")
        return
    config = spec.part("dnsConfig")
    servers, searches = config["nameservers"] or [], config["searches"] or []
    if spec["dnsPolicy"] == "None" and not servers:
        config.require("nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")
        return
    if len(servers) > _MOST_SERVERS:
        config.refuse("nameservers", f"must not have more than {_MOST_SERVERS} nameservers")
    for index, server in enumerate(servers):
        config.errors += check_address(config.at(f"nameservers[{index}]"), server)
    if len(searches) > _MOST_SEARCHES:
        config.refuse("searches", f"must not have more than {_MOST_SEARCHES} search paths")
    if len(" ".join(searches)) > _MOST_SEARCH_CHARACTERS:
        most = f"{_MOST_SEARCH_CHARACTERS} characters (including spaces)"
        config.refuse("searches", f"must not have more than {most} in the search list")
    for index, search in enumerate(searches):
        if search != ".":
            bare = search.removesuffix(".")
            config.complain(f"searches[{index}]", check_subdomain_with_underscores(bare), bare)
    for index, option in enumerate(config.parts("options")):
        if not option["name"]:
            config.require(f"options[{index}]", "must not be empty")


def validate_host_aliases(spec: Part) -> None:
    """Lines of the pod's /etc/hosts."""
    for alias in spec.parts("hostAliases"):
        alias.errors += check_address(alias.at("ip"), alias["ip"] or "")
        for index, name in enumerate(alias["hostnames"] or ()):
            alias.complain(f"hostnames[{index}]", check_subdomain(name), name)
