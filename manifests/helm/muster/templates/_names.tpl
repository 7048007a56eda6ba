{{/* Name of everything: the release's, which is `muster` in the docs. */}}
{{- define "muster.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ include "muster.name" . }}
{{- end -}}

{{- define "muster.labels" -}}
{{ include "muster.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "muster.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default (printf "v%s" .Chart.AppVersion)) }}
{{- end -}}
{{- end -}}

{{/* The file of `muster run --config`. */}}
{{- define "muster.config" -}}
{{- if hasKey .Values.config "schedulerNames" -}}
{{- fail "write schedulerNames beside config, not in it" -}}
{{- end -}}
{{- toYaml (merge (dict "schedulerNames" .Values.schedulerNames) .Values.config) -}}
{{- end -}}

{{/* Name of the lease, as the configuration has it. */}}
{{- define "muster.lease" -}}
{{- dig "leaderElection" "name" "muster" .Values.config -}}
{{- end -}}

{{/* Says what cannot work before anything is installed. */}}
{{- define "muster.check" -}}
{{- if and (not .Values.leaderElection.enabled) (gt (int .Values.replicas) 1) -}}
{{- fail (printf "%d replicas without leader election would all decide at once: set replicas to 1, or leaderElection.enabled to true" (int .Values.replicas)) -}}
{{- end -}}
{{- if hasKey (default dict .Values.config.leaderElection) "enabled" -}}
{{- fail "write leaderElection.enabled beside config, not in it" -}}
{{- end -}}
{{- end -}}
