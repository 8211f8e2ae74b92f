"""From running containers to ended ones."""
