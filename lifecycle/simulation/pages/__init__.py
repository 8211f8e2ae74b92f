"""Pages that are one file: they need no server, no network and no script. Pure."""
