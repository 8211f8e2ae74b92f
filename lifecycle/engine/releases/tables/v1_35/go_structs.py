"""Structs of Kubernetes v1.35's API server, field by field in Go's order: what some rule refuses as a whole.

They are not the ones that manifests are read into: their fields have names, but none for JSON.

    Name            a text, else ""                 Name=0 =no =zero   a number, a bool, a quantity
    Name?           anything, else null             Name:Struct        a struct, there in any case
    Name:?Struct    a struct, else null             Name:[Struct       a list of structs, else null
    +Struct         the fields of a struct stand among its own
    Name@json       what JSON calls it, where that is not the name with its first word in small letters
"""

STRUCTS = """
AWSElasticBlockStoreVolumeSource = VolumeID FSType Partition=0 ReadOnly=no
Affinity = NodeAffinity:?NodeAffinity PodAffinity:?PodAffinity PodAntiAffinity:?PodAntiAffinity
AppArmorProfile = Type LocalhostProfile?
AzureDiskVolumeSource = DiskName DataDiskURI@diskURI CachingMode? FSType? ReadOnly? Kind?
AzureFileVolumeSource = SecretName ShareName ReadOnly=no
CSIVolumeSource = Driver ReadOnly? FSType? VolumeAttributes? NodePublishSecretRef:?LocalObjectReference
Capabilities = Add? Drop?
CephFSVolumeSource = Monitors? Path User SecretFile SecretRef:?LocalObjectReference ReadOnly=no
CinderVolumeSource = VolumeID FSType ReadOnly=no SecretRef:?LocalObjectReference
ClusterTrustBundleProjection = Name? SignerName? LabelSelector:?LabelSelector Optional? Path
ConfigMapEnvSource = +LocalObjectReference Optional?
ConfigMapKeySelector = +LocalObjectReference Key Optional?
ConfigMapProjection = +LocalObjectReference Items:[KeyToPath Optional?
ConfigMapVolumeSource = +LocalObjectReference Items:[KeyToPath DefaultMode? Optional?
Container = Name Image Command? Args? WorkingDir Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar
    Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy?
    RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice
    LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle
    TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:?SecurityContext
    Stdin=no StdinOnce=no TTY=no
ContainerPort = Name HostPort=0 ContainerPort=0 Protocol HostIP
ContainerResizePolicy = ResourceName RestartPolicy
ContainerRestartRule = Action ExitCodes:?ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes = Operator Values?
DaemonSetUpdateStrategy = Type RollingUpdate:?RollingUpdateDaemonSet
DeploymentStrategy = Type RollingUpdate:?RollingUpdateDeployment
DownwardAPIProjection = Items:[DownwardAPIVolumeFile
DownwardAPIVolumeFile = Path FieldRef:?ObjectFieldSelector ResourceFieldRef:?ResourceFieldSelector Mode?
DownwardAPIVolumeSource = Items:[DownwardAPIVolumeFile DefaultMode?
EmptyDirVolumeSource = Medium SizeLimit?
EnvFromSource = Prefix ConfigMapRef:?ConfigMapEnvSource SecretRef:?SecretEnvSource
EnvVar = Name Value ValueFrom:?EnvVarSource
EnvVarSource = FieldRef:?ObjectFieldSelector ResourceFieldRef:?ResourceFieldSelector
    ConfigMapKeyRef:?ConfigMapKeySelector SecretKeyRef:?SecretKeySelector FileKeyRef:?FileKeySelector
EphemeralContainer = +EphemeralContainerCommon TargetContainerName
EphemeralContainerCommon = Name Image Command? Args? WorkingDir Ports:[ContainerPort EnvFrom:[EnvFromSource
    Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy?
    RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice
    LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle
    TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:?SecurityContext
    Stdin=no StdinOnce=no TTY=no
EphemeralVolumeSource = VolumeClaimTemplate:?PersistentVolumeClaimTemplate
ExecAction = Command?
FCVolumeSource = TargetWWNs? Lun? FSType ReadOnly=no WWIDs@wwids?
FileKeySelector = VolumeName Path Key Optional?
FlexVolumeSource = Driver FSType SecretRef:?LocalObjectReference ReadOnly=no Options?
FlockerVolumeSource = DatasetName DatasetUUID
GCEPersistentDiskVolumeSource = PDName FSType Partition=0 ReadOnly=no
GRPCAction = Port=0 Service?
GitRepoVolumeSource = Repository Revision Directory
GlusterfsVolumeSource = EndpointsName@endpoints Path ReadOnly=no
HTTPGetAction = Path Port=0 Host Scheme HTTPHeaders:[HTTPHeader
HTTPHeader = Name Value
HostAlias = IP Hostnames?
HostPathVolumeSource = Path Type?
ISCSIVolumeSource = TargetPortal IQN Lun=0 ISCSIInterface FSType ReadOnly=no Portals?
    DiscoveryCHAPAuth@chapAuthDiscovery=no SessionCHAPAuth@chapAuthSession=no
    SecretRef:?LocalObjectReference InitiatorName?
ImageVolumeSource = Reference PullPolicy
KeyToPath = Key Path Mode?
Lifecycle = PostStart:?LifecycleHandler PreStop:?LifecycleHandler StopSignal?
LifecycleHandler = Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction Sleep:?SleepAction
LocalObjectReference = Name
NFSVolumeSource = Server Path ReadOnly=no
NodeAffinity = RequiredDuringSchedulingIgnoredDuringExecution:?NodeSelector
    PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm
NodeSelector = NodeSelectorTerms:[NodeSelectorTerm
NodeSelectorRequirement = Key Operator Values?
NodeSelectorTerm = MatchExpressions:[NodeSelectorRequirement MatchFields:[NodeSelectorRequirement
ObjectFieldSelector = APIVersion FieldPath
PersistentVolumeClaimSpec = AccessModes? Selector:?LabelSelector Resources:VolumeResourceRequirements
    VolumeName StorageClassName? VolumeMode? DataSource:?TypedLocalObjectReference
    DataSourceRef:?TypedObjectReference VolumeAttributesClassName?
PersistentVolumeClaimTemplate = +ObjectMeta Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource = ClaimName ReadOnly=no
PhotonPersistentDiskVolumeSource = PdID FSType
PodAffinity = RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm
    PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodAffinityTerm = LabelSelector:?LabelSelector Namespaces? TopologyKey NamespaceSelector:?LabelSelector
    MatchLabelKeys? MismatchLabelKeys?
PodAntiAffinity = RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm
    PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodCertificateProjection = SignerName KeyType MaxExpirationSeconds? CredentialBundlePath KeyPath
    CertificateChainPath UserAnnotations?
PodDNSConfig = Nameservers? Searches? Options:[PodDNSConfigOption
PodDNSConfigOption = Name Value?
PodDisruptionBudgetSpec = MinAvailable? Selector:?LabelSelector MaxUnavailable? UnhealthyPodEvictionPolicy?
PodFailurePolicy = Rules:[PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement = ContainerName? Operator Values?
PodFailurePolicyOnPodConditionsPattern = Type Status
PodFailurePolicyRule = Action OnExitCodes:?PodFailurePolicyOnExitCodesRequirement
    OnPodConditions:[PodFailurePolicyOnPodConditionsPattern
PodOS = Name
PodReadinessGate = ConditionType
PodResourceClaim = Name ResourceClaimName? ResourceClaimTemplateName?
PodSchedulingGate = Name
PodSecurityContext = HostNetwork=no HostPID=no HostIPC=no ShareProcessNamespace? HostUsers?
    SELinuxOptions:?SELinuxOptions WindowsOptions:?WindowsSecurityContextOptions RunAsUser? RunAsGroup?
    RunAsNonRoot? SupplementalGroups? SupplementalGroupsPolicy? FSGroup? FSGroupChangePolicy?
    Sysctls:[Sysctl SeccompProfile:?SeccompProfile AppArmorProfile:?AppArmorProfile SELinuxChangePolicy?
PodSpec = Volumes:[Volume InitContainers:[Container Containers:[Container
    EphemeralContainers:[EphemeralContainer RestartPolicy TerminationGracePeriodSeconds?
    ActiveDeadlineSeconds? DNSPolicy NodeSelector? ServiceAccountName AutomountServiceAccountToken? NodeName
    SecurityContext:?PodSecurityContext ImagePullSecrets:[LocalObjectReference Hostname Subdomain
    SetHostnameAsFQDN? Affinity:?Affinity SchedulerName Tolerations:[Toleration HostAliases:[HostAlias
    PriorityClassName Priority? PreemptionPolicy? DNSConfig:?PodDNSConfig ReadinessGates:[PodReadinessGate
    RuntimeClassName? Overhead? EnableServiceLinks? TopologySpreadConstraints:[TopologySpreadConstraint
    OS:?PodOS SchedulingGates:[PodSchedulingGate ResourceClaims:[PodResourceClaim
    Resources:?ResourceRequirements HostnameOverride? WorkloadRef:?WorkloadReference
PodTemplateSpec = +ObjectMeta Spec:PodSpec
PortworxVolumeSource = VolumeID FSType ReadOnly=no
PreferredSchedulingTerm = Weight=0 Preference:NodeSelectorTerm
Probe = +ProbeHandler InitialDelaySeconds=0 TimeoutSeconds=0 PeriodSeconds=0 SuccessThreshold=0
    FailureThreshold=0 TerminationGracePeriodSeconds?
ProbeHandler = Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction GRPC:?GRPCAction
ProjectedVolumeSource = Sources:[VolumeProjection DefaultMode?
QuobyteVolumeSource = Registry Volume ReadOnly=no User Group Tenant
RBDVolumeSource = CephMonitors@monitors? RBDImage@image FSType RBDPool@pool RadosUser@user Keyring
    SecretRef:?LocalObjectReference ReadOnly=no
ResourceClaim = Name Request
ResourceFieldSelector = ContainerName Resource Divisor=zero
ResourceRequirements = Limits? Requests? Claims:[ResourceClaim
RoleRef = APIGroup Kind Name
RollingUpdateDaemonSet = MaxUnavailable=0 MaxSurge=0
RollingUpdateDeployment = MaxUnavailable=0 MaxSurge=0
RollingUpdateStatefulSetStrategy = Partition=0 MaxUnavailable?
SELinuxOptions = User Role Type Level
ScaleIOVolumeSource = Gateway System SecretRef:?LocalObjectReference SSLEnabled=no ProtectionDomain
    StoragePool StorageMode VolumeName FSType ReadOnly=no
ScopeSelector = MatchExpressions:[ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement = ScopeName Operator Values?
SeccompProfile = Type LocalhostProfile?
SecretEnvSource = +LocalObjectReference Optional?
SecretKeySelector = +LocalObjectReference Key Optional?
SecretProjection = +LocalObjectReference Items:[KeyToPath Optional?
SecretVolumeSource = SecretName Items:[KeyToPath DefaultMode? Optional?
SecurityContext = Capabilities:?Capabilities Privileged? SELinuxOptions:?SELinuxOptions
    WindowsOptions:?WindowsSecurityContextOptions RunAsUser? RunAsGroup? RunAsNonRoot?
    ReadOnlyRootFilesystem? AllowPrivilegeEscalation? ProcMount? SeccompProfile:?SeccompProfile
    AppArmorProfile:?AppArmorProfile
ServiceAccountTokenProjection = Audience ExpirationSeconds=0 Path
ServicePort = Name Protocol AppProtocol? Port=0 TargetPort=0 NodePort=0
SleepAction = Seconds=0
StatefulSetUpdateStrategy = Type RollingUpdate:?RollingUpdateStatefulSetStrategy
StorageOSVolumeSource = VolumeName VolumeNamespace FSType ReadOnly=no SecretRef:?LocalObjectReference
SuccessPolicy = Rules:[SuccessPolicyRule
SuccessPolicyRule = SucceededIndexes? SucceededCount?
Sysctl = Name Value
TCPSocketAction = Port=0 Host
Toleration = Key Operator Value Effect TolerationSeconds?
TopologySpreadConstraint = MaxSkew=0 TopologyKey WhenUnsatisfiable LabelSelector:?LabelSelector MinDomains?
    NodeAffinityPolicy? NodeTaintsPolicy? MatchLabelKeys?
TypedLocalObjectReference = APIGroup? Kind Name
TypedObjectReference = APIGroup? Kind Name Namespace?
UncountedTerminatedPods = Succeeded? Failed?
Volume = Name +VolumeSource
VolumeDevice = Name DevicePath
VolumeMount = Name ReadOnly=no RecursiveReadOnly? MountPath SubPath MountPropagation? SubPathExpr
VolumeNodeAffinity = Required:?NodeSelector
VolumeProjection = Secret:?SecretProjection DownwardAPI:?DownwardAPIProjection
    ConfigMap:?ConfigMapProjection ServiceAccountToken:?ServiceAccountTokenProjection
    ClusterTrustBundle:?ClusterTrustBundleProjection PodCertificate:?PodCertificateProjection
VolumeResourceRequirements = Limits? Requests?
VolumeSource = HostPath:?HostPathVolumeSource EmptyDir:?EmptyDirVolumeSource
    GCEPersistentDisk:?GCEPersistentDiskVolumeSource AWSElasticBlockStore:?AWSElasticBlockStoreVolumeSource
    GitRepo:?GitRepoVolumeSource Secret:?SecretVolumeSource NFS:?NFSVolumeSource ISCSI:?ISCSIVolumeSource
    Glusterfs:?GlusterfsVolumeSource PersistentVolumeClaim:?PersistentVolumeClaimVolumeSource
    RBD:?RBDVolumeSource Quobyte:?QuobyteVolumeSource FlexVolume:?FlexVolumeSource
    Cinder:?CinderVolumeSource CephFS@cephfs:?CephFSVolumeSource Flocker:?FlockerVolumeSource
    DownwardAPI:?DownwardAPIVolumeSource FC:?FCVolumeSource AzureFile:?AzureFileVolumeSource
    ConfigMap:?ConfigMapVolumeSource VsphereVolume:?VsphereVirtualDiskVolumeSource
    AzureDisk:?AzureDiskVolumeSource PhotonPersistentDisk:?PhotonPersistentDiskVolumeSource
    Projected:?ProjectedVolumeSource PortworxVolume:?PortworxVolumeSource ScaleIO:?ScaleIOVolumeSource
    StorageOS@storageos:?StorageOSVolumeSource CSI:?CSIVolumeSource Ephemeral:?EphemeralVolumeSource
    Image:?ImageVolumeSource
VsphereVirtualDiskVolumeSource = VolumePath FSType StoragePolicyName StoragePolicyID
WeightedPodAffinityTerm = Weight=0 PodAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions = GMSACredentialSpecName? GMSACredentialSpec? RunAsUserName? HostProcess?
WorkloadReference = Name PodGroup PodGroupReplicaKey
"""
