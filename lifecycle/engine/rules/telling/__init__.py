"""What people are told: verdicts, and why something does not go on."""
