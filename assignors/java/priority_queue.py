"""`java.util.PriorityQueue`: which of several equal elements comes first is decided by how its heap was sifted.

Python's heapq sifts in another way, so equal elements would leave it in another order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def offer(heap: list[int], keys: Sequence[Any], element: int) -> None:
    """PriorityQueue.add. `keys[element]` is what the comparator compares; it must not change while in the heap."""
    at = len(heap)
    heap.append(element)
    key = keys[element]
    while at:
        above = (at - 1) >> 1
        other = heap[above]
        if not key < keys[other]:
            break
        heap[at] = other
        at = above
    heap[at] = element


def poll(heap: list[int], keys: Sequence[Any]) -> int:
    """PriorityQueue.poll of a heap that is not empty."""
    first = heap[0]
    element = heap.pop()
    size = len(heap)
    if not size:
        return first
    key = keys[element]
    at, half = 0, size >> 1
    while at < half:
        below = 2 * at + 1
        other = heap[below]
        if below + 1 < size and keys[heap[below + 1]] < keys[other]:
            below += 1
            other = heap[below]
        if not keys[other] < key:
            break
        heap[at] = other
        at = below
    heap[at] = element
    return first


def filled(elements: Iterable[int], keys: Sequence[Any]) -> list[int]:
    """PriorityQueue.addAll into an empty queue: one after the other."""
    heap: list[int] = []
    for element in elements:
        offer(heap, keys, element)
    return heap
