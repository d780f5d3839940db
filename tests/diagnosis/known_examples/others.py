"""Examples of the defects of other clients."""

EXAMPLES = {
    "aiokafka#727": "2024-03-04 10:00:01,000 INFO aiokafka.consumer.group_coordinator: (Re-)joining group orders\n"
    "2024-03-04 10:00:04,000 ERROR aiokafka.consumer.group_coordinator: OffsetCommit failed for group orders due to"
    " group error ([Error 25] UnknownMemberIdError: orders), will rejoin\n"
    "2024-03-04 10:00:04,020 INFO aiokafka.consumer.group_coordinator: Successfully synced group orders with"
    " generation -1\n",
    "ruby-kafka#941": "".join(
        f"E, [2024-03-04T10:00:{s}.100000 #11] ERROR -- : [[orders] {{}}:] {text}\n"
        for s in (15, 26, 37)
        for text in (
            "[join_group] Timed out while waiting for response 2",
            "Connection error while trying to join group `orders`; retrying...",
        )
    ),
}
