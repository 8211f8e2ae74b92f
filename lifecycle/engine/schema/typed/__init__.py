"""Values by the shape that server-side apply gives them: their sets of fields, comparisons and merges."""
