"""CustomResourceDefinitions: they are named and established, and their objects end with them.

Models the naming, establishing and finalizer controllers of the API server's extensions. What has a
finalizer of somebody else holds its definition up, which looks again every five seconds.
"""

from .observe import DefinitionController

__all__ = ["DefinitionController"]
