"""What is recorded: single objects, lists, versions, metrics, events."""
