"""The wordings of each program that writes about consumer groups. `logs.recognition` lists the producers.

- `broker`: the coordinator about classic groups (Scala 0.11-3.x, Java 3.7-4.x)
- `broker_consumer`: the coordinator about consumer groups (KIP-848)
- `broker_streams`: the coordinator about streams and share groups
- `broker_lifecycle`: brokers about themselves: starting, stopping, loading
- `java_client`: Java clients: the prefix that names client and group
- `java_sentences`: what follows that prefix and is shown
- `java_context_sentences`: what follows that prefix and only the import uses
- `java_config`: the settings that a Java consumer prints when it starts
- `librdkafka`: librdkafka, alone or in another program's log
- `librdkafka_evidence`: what it says beside a member's history
- `python_clients`: kafka-python, aiokafka, faust
- `sarama`: Sarama
- `franz_go`: franz-go (kgo)
- `kafka_go`: segmentio's kafka-go
- `kafkajs`: KafkaJS
- `ruby_kafka`: ruby-kafka
- `karafka`: karafka 2
- `smallrye`: SmallRye Reactive Messaging (Quarkus)
- `listeners`: what applications print in their callbacks, in any language
- `php_clients`: what applications print of phpkafka's answers
- `clickhouse`: ClickHouse's Kafka engine
- `exceptions`: exceptions with the code that threw them, and versions
- `streams_and_connect`: Kafka Streams and Connect about their threads, tasks and workers
- `troubles`: errors, lost connections and failed applications, whoever words them
- `applications`: what applications say of their consumer in words of their own
- `brod`: brod and kaffe (Erlang, Elixir)
"""
