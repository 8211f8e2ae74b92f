{{- define "podline.labels" -}}
app.kubernetes.io/name: podline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "podline.secret" -}}
{{ .Values.existingSecret | default (printf "%s-settings" .Release.Name) }}
{{- end }}

{{- define "podline.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Variables of every process. */}}
{{- define "podline.environment" -}}
{{- range $name := list "DATABASE_URL" "REDIS_URL" "SECRET_KEY" }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ include "podline.secret" $ }}, key: {{ $name }}}}
{{- end }}
- name: ALLOWED_HOSTS
  value: {{ concat (list "localhost" .Release.Name (printf "%s.%s" .Release.Name .Release.Namespace) (printf "%s.%s.svc" .Release.Name .Release.Namespace)) .Values.hosts (.Values.ingress.host | empty | ternary (list) (list .Values.ingress.host)) | join "," | quote }}
{{- if .Values.origin }}
- name: TRUSTED_ORIGINS
  value: {{ .Values.origin | quote }}
- name: SECURE_COOKIES
  value: "True"
{{- end }}
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* What every pod has: no root, a root that is only read, and room for what is its own. */}}
{{- define "podline.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
- {name: tmp, emptyDir: {}}
- {name: data, emptyDir: {}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 0 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{- define "podline.container" -}}
image: {{ include "podline.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
- {name: tmp, mountPath: /tmp}
- {name: data, mountPath: /data}
env: {{- include "podline.environment" . | nindent 0 }}
{{- end }}
