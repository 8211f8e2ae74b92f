"""An object that is edited where it is seen."""
