"""The page on which two fields of a Deployment are set otherwise."""
