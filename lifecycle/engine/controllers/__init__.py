"""Controllers: each observes, decides purely, and has its decision acted on."""
