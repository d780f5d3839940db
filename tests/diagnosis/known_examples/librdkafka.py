"""Examples of the defects of librdkafka and the libraries upon it."""

_JOINS = (
    '%7|1709546399.000|JOIN|web#consumer-1| [thrd:main]: kafka:9092/1: Joining group "orders" with 1 subscribed'
    " topic(s)\n"
)
_AT = "%7|{}.{}|{}|web#consumer-1| [thrd:main]: {}\n"


def _assertion(source: str, said: str) -> str:
    """As the C library prints it, and as librdkafka itself."""
    return f"{_JOINS}web: {source}: {said} failed.\n" if "`" in said else f"{_JOINS}*** {source}:{said} ***\n"


def _fetchers_wait() -> str:
    said = [
        (0, "GRPASSIGN", 'Group "orders": new assignment of 2 partition(s) in join-state wait-assign-rebalance_cb'),
        (
            0,
            "FETCHSTART",
            'Group "orders": not starting fetchers for 2 assigned partition(s) in join-state assigned'
            " (usable_offsets=no, v6, line 2206): waiting for 1 commit(s)",
        ),
        *(
            (s, "HEARTBEAT", 'GroupCoordinator/1: Heartbeat for group "orders" generation id 7')
            for s in range(3, 180, 3)
        ),
    ]
    return "".join(_AT.format(1709546400 + s, "000", facility, text) for s, facility, text in said)


def _asks_twice_for_an_id() -> str:
    said = [
        ("10:00:05,501", _new_id("1")),
        ("10:00:05,503", _new_id("2")),
        (
            "10:00:05,504",
            "Preparing to rebalance group orders in state PreparingRebalance with old generation 1"
            f" (__consumer_offsets-7) (reason: Adding new member {_MEMBER}2 with group instance id None; client reason:"
            " not provided)",
        ),
        (
            "10:00:50,502",
            f"Pending member {_MEMBER}1 in group orders has been removed after session timeout expiration.",
        ),
        ("10:00:50,502", "Stabilized group orders generation 2 (__consumer_offsets-7) with 2 members"),
    ]
    return "".join(
        f"[2024-03-04 {at}] INFO [GroupCoordinator 0]: {text} (kafka.coordinator.group.GroupCoordinator)\n"
        for at, text in said
    )


_MEMBER = "rdkafka-7fdb63ba-4fba-432d-9af3-89411c63d4c"


def _new_id(last: str) -> str:
    return (
        "Dynamic member with unknown member id joins group orders in Stable state. Created a new member id"
        f" {_MEMBER}{last} and request the member to rejoin with this id."
    )


EXAMPLES = {
    "confluent-kafka-dotnet#1369": _assertion(
        "rdkafka_roundrobin_assignor.c:97",
        "rd_kafka_roundrobin_assignor_assign_cb: Assertion `next < rd_list_cnt(&eligible_topic->members)'",
    ),
    "librdkafka#3223": _assertion(
        "rdkafka_cgrp.c:882", "rd_kafka_group_MemberMetadata_consumer_read: assert: rkbuf->rkbuf_rkb"
    ),
    "librdkafka#4308": _assertion(
        "rdkafka_sticky_assignor.c:1898", "rd_kafka_sticky_assignor_state_destroy: Assertion `assignor_state'"
    ),
    "librdkafka#4792": _assertion(
        "rdkafka_cgrp.c:3312", "rd_kafka_cgrp_terminated: assert: !rd_kafka_assignment_in_progress(rkcg->rkcg_rk)"
    ),
    "librdkafka#761": _assertion(
        "../src/rdkafka_cgrp.c:790",
        "rd_kafka_cgrp_partitions_fetch_start: assert: rkcg->rkcg_assigned_cnt <="
        " (rkcg->rkcg_assignment ? rkcg->rkcg_assignment->cnt : 0)",
    ),
    "librdkafka#1070": _assertion("rdkafka_cgrp.c:1589", "rd_kafka_cgrp_op_serve: assert: rktp->rktp_assigned"),
    "librdkafka#1071": _assertion(
        "rdkafka_cgrp.c:2801",
        "rd_kafka_cgrp_metadata_update_check: assert: thrd_is_current(rkcg->rkcg_rk->rk_thread)",
    ),
    "librdkafka#445": _assertion("rdkafka_queue.c:371", "rd_kafka_q_serve: assert: handled == cnt"),
    "librdkafka#1142": _fetchers_wait(),
    "librdkafka#5569": _asks_twice_for_an_id(),
    "node-rdkafka#1146": "".join(
        _AT.format(
            1709546400 + 60 * nth,
            "250",
            "COMMITFAIL",
            "Offset commit (manual) failed for 1/1 partition(s) in join-state steady: Broker: The member epoch is"
            f" stale: orders[{nth}]@17(Broker: The member epoch is stale)",
        ).replace("%7", "%4")
        for nth in range(3)
    ),
    "ClickHouse#4631": "2019.03.04 10:00:00.000000 [ 89 ] {} <Error> StorageKafka (orders): Consumer error: Broker:"
    " Group coordinator load in progress\n"
    "2019.03.04 10:00:02.000000 [ 47 ] {} <Error> void DB::StorageKafka::streamThread(): std::exception. Code: 1001,"
    " type: cppkafka::HandleException, e.what() = Local: Invalid argument or configuration\n",
}
