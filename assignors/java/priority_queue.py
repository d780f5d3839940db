"""`java.util.PriorityQueue`: which of several equal elements comes first is decided by how its heap was sifted.

Python's heapq sifts in another way, so equal elements would leave it in another order. Elements are numbers;
`keys[element]` is what the comparator compares, read anew at each comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any


def offer(heap: list[int], keys: Sequence[Any], element: int) -> None:
    """PriorityQueue.add."""
    heap.append(element)
    _up(heap, keys, len(heap) - 1)


def poll(heap: list[int], keys: Sequence[Any]) -> int:
    """PriorityQueue.poll of a heap that is not empty."""
    first = heap[0]
    last = heap.pop()
    if heap:
        heap[0] = last
        _down(heap, keys, 0)
    return first


def again(heap: list[int], keys: Sequence[Any]) -> None:
    """PriorityQueue.poll and add of the first element, whose key has changed meanwhile: often done, so one step."""
    size = len(heap) - 1
    first, element = heap[0], heap[size]
    key = keys[element]
    at, below, half = 0, 1, size >> 1
    while at < half:
        other = heap[below]
        smaller = keys[other]
        if below + 1 < size:
            right = heap[below + 1]
            if keys[right] < smaller:
                below += 1
                other, smaller = right, keys[right]
        if not smaller < key:
            break
        heap[at] = other
        at, below = below, 2 * below + 1
    heap[at] = element
    key, at = keys[first], size
    while at:
        above = (at - 1) >> 1
        other = heap[above]
        if not key < keys[other]:
            break
        heap[at] = other
        at = above
    heap[at] = first


@lru_cache(maxsize=64)
def whole_round(size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What happens while each element of a heap of equal keys is polled, gets the next larger key, and is added again.

    It depends on the places alone: those from which elements are polled, in order; and from where the elements come
    that stand at each place afterwards. `again`, once for each element, does the same.
    """
    heap, keys, order = list(range(size)), [0] * size, []
    for _ in range(size):
        order.append(heap[0])
        keys[heap[0]] = 1
        again(heap, keys)
    return tuple(order), tuple(heap)


def remove(heap: list[int], keys: Sequence[Any], element: int) -> None:
    """PriorityQueue.remove of an element that is in the heap."""
    at = heap.index(element)
    last = heap.pop()
    if at == len(heap):
        return
    heap[at] = last
    _down(heap, keys, at)
    if heap[at] == last:
        _up(heap, keys, at)


def filled(elements: Iterable[int], keys: Sequence[Any]) -> list[int]:
    """PriorityQueue.addAll into an empty queue: one after the other."""
    heap: list[int] = []
    for element in elements:
        offer(heap, keys, element)
    return heap


def _up(heap: list[int], keys: Sequence[Any], at: int) -> None:
    element = heap[at]
    key = keys[element]
    while at:
        above = (at - 1) >> 1
        other = heap[above]
        if not key < keys[other]:
            break
        heap[at] = other
        at = above
    heap[at] = element


def _down(heap: list[int], keys: Sequence[Any], at: int) -> None:
    element = heap[at]
    key = keys[element]
    size = len(heap)
    half = size >> 1
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
