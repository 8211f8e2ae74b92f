"""What a Deployment says of itself: condition types, reasons and event reasons, in Kubernetes' spelling."""

from __future__ import annotations

AVAILABLE = "Available"
PROGRESSING = "Progressing"

MINIMUM_REPLICAS_AVAILABLE = "MinimumReplicasAvailable"
MINIMUM_REPLICAS_UNAVAILABLE = "MinimumReplicasUnavailable"

NEW_REPLICA_SET_CREATED = "NewReplicaSetCreated"
FOUND_NEW_REPLICA_SET = "FoundNewReplicaSet"
REPLICA_SET_UPDATED = "ReplicaSetUpdated"
NEW_REPLICA_SET_AVAILABLE = "NewReplicaSetAvailable"
REPLICA_SET_CREATE_ERROR = "ReplicaSetCreateError"
PROGRESS_DEADLINE_EXCEEDED = "ProgressDeadlineExceeded"
DEPLOYMENT_PAUSED = "DeploymentPaused"
DEPLOYMENT_RESUMED = "DeploymentResumed"

SCALING_REPLICA_SET = "ScalingReplicaSet"
DEPLOYMENT_ROLLBACK = "DeploymentRollback"
SELECTING_ALL = "SelectingAll"

SOURCE = "deployment-controller"
