"""Scripts of the classic group protocol.

- `messages`: a step as the fields of a Kafka request, and a broker's answer back
- `random_scripts`: random scripts of legal and illegal requests, from a seed
- `failovers`: scripts in which the coordinator moves to another broker
"""
