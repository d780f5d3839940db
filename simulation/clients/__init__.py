"""Consumers: what one client process does, with either membership protocol.

- `client_process`: ClientProcess: builds, starts and stops one incarnation of a client; what an operator can do to it.
- `client`: Client: what the threads of one process share, and the facts they record.
- `fetch_state`: FetchState: the assigned partitions, their positions, which of them can be fetched.
- `fetcher`: what Java's poll() returns: one fetch in flight, sent ahead.
- `process`: Process: threads that freeze and die together; Waiter: where a thread waits.
- `connection`: requests and answers over one connection, with timeouts.
- `config`: Kafka's consumer settings; how the application around the consumer behaves.
- `traits`: how Java's client, librdkafka and kafka-python differ.
- `membership`: Membership: what a protocol has to answer; `classic/`, `consumer/`: by JoinGroup, and by heartbeats with
  epochs (KIP-848). `streams/`, `connect/`: what Kafka Streams and workers of Kafka Connect do beside that.
- `application_thread`: the application thread: poll(), work, close().
- `maintenance`: what poll() or a library's own thread does for the membership, and when it is due.
- `callbacks`: runs the rebalance listener.
- `coordinator_lookup`, `metadata`, `positions`, `records`, `commits`: one module for each thing a consumer does.
- `join_request_client`: JoinRequestClient: no consumer; sends single JoinGroup requests in any version.

Whether max.poll.interval.ms is over is decided in `classic/heartbeat`, and by the protocol of KIP-848 in
`consumer/polls`; there the member leaves by `consumer/leave`. For which libraries it counts is in `traits`.
"""
