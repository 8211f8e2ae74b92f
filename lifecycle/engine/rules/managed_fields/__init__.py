"""Who owns which fields of an object: what server-side apply merges, refuses and remembers by."""
