"""What a request says: address, body, options, selectors."""
