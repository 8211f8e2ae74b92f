"""CustomResourceDefinitions: they are named, established, and end with their objects.

Models the naming, establishing and finalizer controllers of the API server's extensions. What has the
finalizer of somebody else holds its definition up; it is looked at again every five seconds.
"""

from .observe import DefinitionController

__all__ = ["DefinitionController"]
