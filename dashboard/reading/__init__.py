"""What stored rows say, for live pictures, answers and pages alike: objects, commands, causes."""
