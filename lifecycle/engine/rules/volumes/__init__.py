"""Claims, volumes and local storage."""
