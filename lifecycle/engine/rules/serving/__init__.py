"""How the API server shows objects to clients, and by which fields it finds them."""
