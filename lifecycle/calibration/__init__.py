"""From a dump of a real cluster's pods and events to ContainerProfiles with measured times. Pure."""
