"""Kubernetes: how it decides how many pods there are, and controllers that do so with the members of a group.

rolling_update  what maxSurge and maxUnavailable come to; one step of a Deployment's rolling update
budget          how many pods a PodDisruptionBudget lets go, and whether one may
hpa             what a HorizontalPodAutoscaler wants, and what its behaviour lets it do
pods            one pod: it starts, becomes ready, is asked to end, is killed
nodes           machines that are drained, taken away, or lost, and the spreading of pods over them
workload        what a Deployment and a StatefulSet have in common
deployment      pods with new names at every version
stateful_set    numbered pods that keep their names
start_workload  what `world.deployment` makes
autoscaler      what `world.autoscaler` makes: it follows the lag of a group, alone or under KEDA
"""
