"""Objects in the version that is asked for: what is stored as one is served as several."""

from typing import Any

from lifecycle.kube_api.describing.resource import Resource

Json = dict[str, Any]


def to_served(resource: Resource, data: Json) -> Json:
    """A stored object as a resource shows it."""
    if resource.form.show is not None:
        data = resource.form.show(data)
    # Of a kind with several versions any may be stored.
    return (
        data
        if data.get("apiVersion") == resource.api_version
        else {**data, "apiVersion": resource.api_version}
    )


def is_as_stored(resource: Resource) -> bool:
    """Whether the resource shows every object exactly as it is stored."""
    is_one = resource.storage_version in ("", resource.api_version)
    return is_one and not resource.custom and resource.form.show is None


def to_stored(resource: Resource, data: Json) -> Json:
    """An object as it was sent to a resource, as it is stored."""
    if resource.form.read is not None:
        data = resource.form.read(data)
    stored = resource.stored_version
    return data if data.get("apiVersion") == stored else {**data, "apiVersion": stored}
