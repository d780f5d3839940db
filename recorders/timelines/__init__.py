"""Runs of real consumers, recorded; `groupsim.conformance.timelines` re-enacts them.

Recording:
- `scenarios`: what is done to real consumers, and when
- `real_clients`, `rdkafka_member`, `kafka_python_member`: a real consumer as a process
- `real_group`: a group of real consumers, led through a scenario
- `real_recording`: what happened in a real group, as a recording; the broker's rows from its log
- `recorder`: recordings of all scenarios, libraries and assignors
- `programs/`, `other_libraries`: consumers of KafkaJS, Sarama and aiokafka, and the recordings of their groups
- `taken`: when each record of a recorded run came, and when a consumer took it
- `predictions`: predictions of the simulator, tried with real clients

Comparing:
- `comparison`: all recorded timelines and their re-enactments, for the page
"""
