"""Plans of scripts of any group protocol, played on a real broker and recorded as scripts.

- `names`: labels of topics and members, and what they are on the broker
- `plan`: what a plan is, and what plans of streams groups and of share groups draw alike
- `client`: what fake clients of every protocol know
- `requests`, `answers`: what any group is asked, between a script and Kafka's messages
- `operations`: every operation of every protocol: its API, its request, its answer
- `administrator`: topics, the group as it is shown, and to leave all clean
- `broker_play`: one play of a plan
- `record`: plays until two agree, and what the broker wrote to `__consumer_offsets`
- `again`: recorded scripts played once more on a broker: is everything equal?
- `command`: to record new scripts, or to play recorded ones again
"""
