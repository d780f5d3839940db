"""Known defects of clients and brokers, played on a real Kafka with the version that has it and the one that has not.

- `stories`: what is played for each defect, with which versions
- `play`: one story with one set of versions, and the logs of it
- `old_kafka`: a broker from before KRaft
- `__main__`: `python -m recorders.defects` records them
- `clients/`: a consumer of each library, run by a Python and with a version of its own
"""
