"""Runs groups in simulated time: SimPy's clock, a network with faults, a broker, consumers, a log of facts.

run               one scenario, once: world, log, invariants, and how it ended
world             all that a scenario can touch: time, topics, groups, network, broker
group             a consumer group in a scenario
consumer_context  what groups and consumers of a world share: clock, network, broker, topics
settings          settings of a run by name, Kafka's and the load's: whether they exist and are legal
quiet_group       a group that is old when it begins
connect_group     a cluster of Kafka Connect in a scenario: its workers are members
member            a member of a group in a scenario: start, stop, kill, freeze
member_ids        who gets which member id
broker            connections and committed offsets in front of the coordinator; crash and failover
group_host        runs the coordinator's machines: append facts, set timers, answer
timers            named timers on the simulated clock
heartbeat_timers  how late the clients' heartbeat timers are
network           links between processes: latency, cuts, rules that delay or drop
requests          what travels between a client and the broker
topics            partitions, and when records arrive
log               every fact on its way to the store and to those who watch
latencies         how long real clients took, as distributions
world_host        the host of a world's programs: what their own steps take
host_speed        how slow a host is, and what its latencies are then
message_delays    these latencies as a rule of the network
rng               named streams of random numbers from one seed
coalesced         one look when all that is due now has happened
checks            what a scenario passes in is checked where it comes in
errors            what can be wrong with a scenario
clients/          the consumer processes
kubernetes/       members of a group as pods that roll and scale
"""
