"""The components of a cluster that can be away by themselves, as Kubernetes calls them."""

API_SERVER, CRON_JOBS, DNS, REGISTRY = "kube-apiserver", "cronjob-controller", "coredns", "registry"
COMPONENTS = (API_SERVER, CRON_JOBS, DNS, REGISTRY)
"""The API server with all that works through it; a controller by the name that `--controllers` has for it;
the cluster's DNS; whence images come."""
CRON_JOB_KEYS = "cronjob"
"""How the loop calls the controller of CronJobs."""
