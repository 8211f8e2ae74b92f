"""One folder a page: its views, and what they read. Its templates have a folder of the same name."""
