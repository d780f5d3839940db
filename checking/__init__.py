"""Settings and manifests before they are used: what they say, what they contradict, what a scenario takes from them.

- `files`, `properties`, `yaml_documents`: text of strangers, of limited size, to keys and values
- `given`: one setting with the place where it stands, and what is known of its placeholders
- `spring`, `kubernetes`: Kafka's settings in Spring's files; Deployments, StatefulSets and ScaledObjects
- `setup`: one group: its settings, and the pods that are its members
- `setting_rules`, `pod_rules`: what a rule finds; `rules`: the table of them, with sources and scenarios
- `simulated`: what a scenario takes from a setup
- `errors`: what can be wrong with a file
"""
