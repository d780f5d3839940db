"""Examples of the defects of librdkafka and the libraries upon it."""

_ELECTED = (
    '%7|1709546399.000|JOINGROUP|web#consumer-1| [thrd:main]: Elected leader for group "orders" with 2 member(s)\n'
)
EXAMPLES = {
    "confluent-kafka-dotnet#1369": _ELECTED
    + "web: rdkafka_roundrobin_assignor.c:97: rd_kafka_roundrobin_assignor_assign_cb: Assertion"
    " `next < rd_list_cnt(&eligible_topic->members)' failed.\n",
}
