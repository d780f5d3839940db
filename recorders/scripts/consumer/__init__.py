"""Scripts of the consumer protocol, recorded from a real broker.

- `random_plans`: what members want to ask, from a seed
- `client`: what a fake client knows, and what a real one would ask
- `names`: labels of topics and members, and what they are on the broker
- `requests`, `answers`, `subscriptions`: between a script and Kafka's messages
- `administrator`: topics, the group as it is shown, and to leave all clean
- `broker_play`: one play of a plan
- `record`: plays until two agree, and what the broker wrote to `__consumer_offsets`
"""
