"""How the API server words a refusal, and the small things that every kind is held to."""
