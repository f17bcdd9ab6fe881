// Package deploy has the files that operators start from: an image, units of systemd, manifests of Kubernetes, alerts of
// Prometheus and a dashboard of Grafana. Its tests read the files with the tools that use them.
package deploy
