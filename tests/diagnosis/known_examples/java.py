"""Examples of the defects of Kafka's brokers and Java clients."""

_BROKER = (
    "[2024-03-04 10:00:{s:02d},40{n}] INFO [GroupCoordinator 0]: {text} (kafka.coordinator.group.GroupCoordinator)\n"
)
_UUID = "7fdb63ba-4fba-432d-9af3-89411c63d4c"


def _rebalances_that_end_at_once() -> str:
    lines = []
    for nth in range(5):
        start = (
            f"Preparing to rebalance group orders in state PreparingRebalance with old generation {nth + 7}"
            f" (__consumer_offsets-7) (reason: Adding new member web-{nth % 2}-{_UUID}{nth} with group instanceid None)"
        )
        end = f"Stabilized group orders generation {nth + 8} (__consumer_offsets-7)"
        lines += [_BROKER.format(s=5 * nth, n=0, text=start), _BROKER.format(s=5 * nth, n=1, text=end)]
    return "".join(lines)


EXAMPLES = {
    "KAFKA-8653": _rebalances_that_end_at_once(),
}
