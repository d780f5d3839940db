"""Kafka's Java assignors and ours, compared on random problems.

- `random_problems`: problems with much that is unusual, from a seed
- `java_harness`: the text files that AssignorBench.java and ServerAssignorBench.java read and write
- `comparison`: how many answers are equal
- `task_problems`: problems and answers of the assignors of tasks (Kafka Streams, Connect) as JSON
- `random_tasks`: random ones
- `java_tasks`: what Kafka's classes answer to them, compared and recorded; `java/` is the harness
"""
