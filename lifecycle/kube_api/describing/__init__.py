"""What there is: resources, discovery, OpenAPI."""
