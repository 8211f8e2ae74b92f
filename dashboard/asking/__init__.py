"""What pages ask for, and what they are answered."""
