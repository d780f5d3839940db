"""Kubernetes: how it decides how many pods there are, and controllers that do so with the members of a group.

counts        numbers and percentages of a rolling update; what they come to
rollout       one step of a Deployment's rolling update
budget        how many pods a PodDisruptionBudget lets go, and whether one may
hpa           what a HorizontalPodAutoscaler wants, and what its behaviour lets it do
keda          the lag that KEDA's Kafka scaler reports
pods          one pod: it starts, becomes ready, is asked to end, is killed
node          one machine: it is drained, taken away, or lost
nodes         the nodes of a cluster, and the spreading of pods over them
workload      what a Deployment and a StatefulSet have in common
deployment    pods with new names at every version
stateful_set  numbered pods that keep their names
deploy        what `world.deployment` makes
autoscaler    what `world.autoscaler` makes: it follows the lag of a group
"""
