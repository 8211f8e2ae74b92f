"""Pages as files that need no server: what a page shows, read from the page itself."""
