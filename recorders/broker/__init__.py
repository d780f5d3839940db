"""A real Kafka broker: fetched, started, asked.

- `fetch`: Kafka's jars from Maven, and our Java programs (`java/`) compiled
- `kafka`: one or more nodes in a temporary folder
- `messages`: the messages of Kafka's APIs as data
- `definitions`: the same for every API and for stored records, by the definitions in Kafka's jars
- `wire`: messages to bytes and back
- `connections`: open connections to one broker
"""
