"""Drivers of volumes, what nodes and classes know of them, and which volumes they attach."""

from __future__ import annotations

from .pods.resources import check_quantity
from .words.names import check_subdomain
from .words.part import Part, gathers
from .words.selectors import validate_selector

_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_MODES = ("Persistent", "Ephemeral")


@gathers("spec")
def validate_driver(spec: Part) -> None:
    """A CSIDriver says what it can do in words that there are."""
    spec.given("fsGroupPolicy", _GROUP_POLICIES)
    for mode in spec["volumeLifecycleModes"] or ():
        spec.support("volumeLifecycleModes", _MODES, mode)


@gathers("spec")
def validate_node_drivers(spec: Part) -> None:
    """A CSINode names each driver once, and the node as the driver knows it."""
    seen: set[str] = set()
    for driver in spec.parts("drivers"):
        driver.text("name", check_subdomain, needed=True)
        driver.need("nodeID")
        if driver["name"]:
            driver.once("name", driver["name"], seen)


@gathers("spec")
def validate_attachment(spec: Part) -> None:
    """A VolumeAttachment: who attaches which one volume to which node."""
    spec.need("attacher")
    source = spec.part("source")
    given = source.list_given(("persistentVolumeName", "inlineVolumeSpec"))
    if not given:
        spec.require("source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName")
    elif len(given) > 1:
        spec.forbid("source", "must specify exactly one of inlineVolumeSpec and persistentVolumeName")
    elif source["persistentVolumeName"] == "":
        source.require("persistentVolumeName", "must specify non empty persistentVolumeName")
    spec.complain("nodeName", check_subdomain(spec["nodeName"] or ""), spec["nodeName"] or "")
    spec.need("attacher")


@gathers("")
def validate_capacity(data: Part) -> None:
    """A CSIStorageCapacity is of a class, and no less than nothing."""
    name = data["storageClassName"] or ""
    data.complain("storageClassName", check_subdomain(name), name)
    for field in data.list_given(("capacity", "maximumVolumeSize")):
        data.errors += check_quantity(data.at(field), data[field])
    data.apply("nodeTopology", validate_selector)


@gathers("")
def validate_attributes_class(data: Part) -> None:
    """A VolumeAttributesClass is of a driver, and says something to it."""
    data.text("driverName", check_subdomain, needed=True)
    if not data["parameters"]:
        data.require("parameters", "must contain at least one key/value pair")
