"""Programs that benches and tests start beside the server: a browser, a database."""
