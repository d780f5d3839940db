"""`java.util.PriorityQueue`: which of several equal elements comes first is decided by how its heap was sifted.

Python's heapq sifts in another way, so equal elements would leave it in another order. Elements are numbers;
`keys[element]` is what the comparator compares, read anew at each comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
