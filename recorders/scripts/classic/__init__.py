"""Scripts of the classic group protocol.

- `messages`: a step as the fields of a Kafka request, and a broker's answer back
- `matrix_cases`: a group in each state, and one request of each kind
- `random_scripts`: random scripts of legal and illegal requests, from a seed
- `failovers`: scripts in which the coordinator moves to another broker
"""
