"""The feature gates of the modelled release: which the engine acts on, and which it only knows by name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from ..objects.shortened import shorten

FEATURE_DEFAULTS: Mapping[str, bool] = {
    "ChangeContainerStatusOnKubeletRestart": False,
    "ContainerRestartRules": True,
    "ContainerStopSignals": False,
    "DeploymentReplicaSetTerminatingReplicas": True,
    "InPlacePodVerticalScaling": True,
    "JobBackoffLimitPerIndex": True,
    "JobManagedBy": True,
    "JobPodReplacementPolicy": True,
    "JobSuccessPolicy": True,
    "KubeletCrashLoopBackOffMax": True,
    "LogarithmicScaleDown": True,
    "MaxUnavailableStatefulSet": False,
    "MemoryQoS": False,
    "PodDeletionCost": True,
    "PodLevelResources": True,
    "PodReadyToStartContainersCondition": True,
    "ReduceDefaultCrashLoopBackOffDecay": False,
    "RestartAllContainersOnContainerExits": False,
    "SidecarContainers": True,
    "UserNamespacesPodSecurityStandards": False,
    "UserNamespacesSupport": True,
}
"""Gates the model acts on, as the modelled release sets them."""

_ON = frozenset(
    """
    APIResponseCompression APIServerIdentity APIServerTracing AggregatedDiscoveryRemoveBetaType
    AllowParsingUserUIDFromCertAuth AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
    AuthorizeNodeWithSelectors AuthorizePodWebsocketUpgradeCreatePermission AuthorizeWithSelectors
    BtreeWatchCache CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CSIMigrationPortworx
    CSIServiceAccountTokenSecrets ClearingNominatedNodeNameAfterBinding ConsistentListFromCache
    ContainerCheckpoint DRAAdminAccess DRAPrioritizedList DRAResourceClaimDeviceStatus
    DRASchedulerFilterTimeout DeclarativeValidation DetectCacheInconsistency DisableAllocatorDualWrite
    DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion DynamicResourceAllocation EnvFiles
    ExecProbeTimeout ExternalServiceAccountTokenSigner GracefulNodeShutdown
    GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HonorPVReclaimPolicy HostnameOverride
    ImageMaximumGCAge ImageVolume InOrderInformers InOrderInformersBatchProcess InformerResourceVersion
    KubeletCgroupDriverFromCRI
    KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources
    KubeletPodResourcesGet KubeletPodResourcesListUseActivePods KubeletSeparateDiskGC
    KubeletServiceAccountTokenForCredentialProviders KubeletTracing ListFromCacheSnapshot
    MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread
    MatchLabelKeysInPodTopologySpreadSelectorMerge MemoryManager MultiCIDRServiceAllocator
    MutableCSINodeAllocatableCount NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery
    NodeSwap NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching OrderedNamespaceDeletion
    PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
    PodSchedulingReadiness PodTopologyLabelsAdmission PortForwardWebsockets PreferSameTrafficDistribution
    PreventStaticPodAPIReferences ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
    RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ReloadKubeletServerCertificateFile
    RemoteRequestHeaderUID ResilientWatchCacheInitialization RetryGenerateName
    RotateKubeletServerCertificate SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerAsyncPreemption
    SchedulerPopFromBackoffQ SchedulerQueueingHints SeparateTaintEvictionController
    ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
    ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo ServiceTrafficDistribution
    SizeBasedListCostEstimate StorageNamespaceIndex StorageVersionHash StreamingCollectionEncodingToJSON
    StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
    StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
    StructuredAuthorizationConfiguration SupplementalGroupsPolicy TokenRequestServiceAccountUIDValidation
    TopologyAwareHints TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions
    TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation VolumeAttributesClass WatchList
    WatchListClient WinDSR WinOverlay WindowsGracefulNodeShutdown
    """.split()
)
_OFF = frozenset(
    """
    APIServingWithRoutine AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
    AllowOverwriteTerminationGracePeriodSeconds AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
    CPUManagerPolicyAlphaOptions CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR ClusterTrustBundle
    ClusterTrustBundleProjection ConcurrentWatchObjectDecode ConstrainedImpersonation
    CoordinatedLeaderElection CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod DRAConsumableCapacity
    DRADeviceBindingConditions DRADeviceTaintRules DRADeviceTaints DRAExtendedResource
    DRAPartitionableDevices DeclarativeValidationTakeover EventedPLEG GangScheduling GenericWorkload
    GitRepoVolumeDriver HPAScaleToZero InPlacePodLevelResourcesVerticalScaling
    InPlacePodVerticalScalingAllocatedStatus InPlacePodVerticalScalingExclusiveCPUs
    InPlacePodVerticalScalingExclusiveMemory InTreePluginPortworxUnregister KMSv1 KubeletInUserNamespace
    KubeletRegistrationGetOnExistsOnly LocalStorageCapacityIsolationFSQuotaMonitoring
    MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs
    MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy NodeDeclaredFeatures
    PodAndContainerStatsFromCRI PodCertificateRequest PodLogsQuerySplitStreams QOSReserved
    RelaxedServiceNameValidation ResourceHealthStatus RuntimeClassInImageCriApi SELinuxMount
    SchedulerAsyncAPICalls SeparateCacheWatchRPC StorageCapacityScoring StorageVersionAPI
    StorageVersionMigrator StrictIPCIDRValidation TaintTolerationComparisonOperators
    TopologyManagerPolicyAlphaOptions UnknownVersionInteroperabilityProxy UserNamespacesHostNetworkSupport
    VolumeLimitScaling WatchCacheInitializationPostStartHook WatchFromStorageWithoutResourceVersion
    WindowsCPUAndMemoryAffinity WindowsHostNetwork
    """.split()
)


def find_default(gate: str) -> bool | None:
    """How the modelled release sets a gate; None for one that it does not have."""
    if gate in FEATURE_DEFAULTS:
        return FEATURE_DEFAULTS[gate]
    return True if gate in _ON else False if gate in _OFF else None


def find_gate_problem(gate: str, value: object) -> str | None:
    """What is wrong with setting a gate so; None when it is acted on, or is as it is anyway."""
    default = find_default(gate)
    if default is None:
        return f"unrecognized feature gate {shorten(gate)}{_suggest(gate)}"
    if not isinstance(value, bool):
        return f"feature gate {gate}: {shorten(value)} is neither true nor false"
    if gate not in FEATURE_DEFAULTS and value is not default:
        return f"feature gate {gate} is not modelled; leave it at {str(default).lower()}, its default"
    return None


def _suggest(gate: str) -> str:
    near = get_close_matches(gate, [*FEATURE_DEFAULTS, *sorted(_ON | _OFF)], 1)
    return f"; did you mean {near[0]}?" if near else ""
