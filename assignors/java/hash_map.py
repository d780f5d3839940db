"""A HashMap of strings as Java fills it, trees of colliding keys included: to know its order of iteration.

Needed where more than eight names share one bin; `hash_order` does the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

TREEIFY = 8
UNTREEIFY = 6
SMALLEST_TABLE_WITH_TREES = 64


class _Node:
    """A key in its bin; `left`, `right`, `parent`, `red` count only while the bin is a tree."""

    __slots__ = ("hash", "key", "left", "parent", "position", "red", "right")

    def __init__(self, position: int, key: bytes, spread: int) -> None:
        self.position = position
        self.key = key
        self.hash = spread - (1 << 32) if spread >> 31 else spread
        self.red = False
        self.left: _Node | None = None
        self.right: _Node | None = None
        self.parent: _Node | None = None


class _Bin:
    """One bin: its keys in the order of iteration and, when it is a tree, the root."""

    __slots__ = ("chain", "root")

    def __init__(self, chain: list[_Node]) -> None:
        self.chain = chain
        self.root: _Node | None = None

    def treeify(self) -> None:
        """HashMap.TreeNode.treeify: insert in order of iteration, then the root goes first."""
        self.root = None
        for node in self.chain:
            node.left = node.right = node.parent = None
            node.red = False
            if self.root is None:
                self.root = node
            else:
                self.root = _insert(self.root, node)[0]
        self._root_first()

    def put(self, node: _Node) -> None:
        """HashMap.TreeNode.putTreeVal: in iteration the new key follows its first parent."""
        assert self.root is not None
        self.root, parent = _insert(self.root, node)
        self.chain.insert(self.chain.index(parent) + 1, node)
        self._root_first()

    def _root_first(self) -> None:
        if self.root is not None and self.chain[0] is not self.root:
            self.chain.remove(self.root)
            self.chain.insert(0, self.root)


def literal_order(texts: Sequence[str], hashes: Sequence[int]) -> list[int]:
    """Positions of distinct strings, in order of insertion, as `java.util.HashMap` (JDK 17) iterates over them."""
    table: dict[int, _Bin] = {}
    capacity = 16
    for position, (text, h) in enumerate(zip(texts, hashes, strict=True)):
        node = _Node(position, text.encode("utf-16-be", "surrogatepass"), h ^ (h >> 16))
        into = table.setdefault(node.hash & (capacity - 1), _Bin([]))
        if into.root is not None:
            into.put(node)
        else:
            into.chain.append(node)
            if len(into.chain) > TREEIFY:
                if capacity < SMALLEST_TABLE_WITH_TREES:
                    table, capacity = _doubled(table, capacity)
                else:
                    into.treeify()
        if position + 1 > 0.75 * capacity:
            table, capacity = _doubled(table, capacity)
    return [node.position for i in sorted(table) for node in table[i].chain]


def _doubled(table: dict[int, _Bin], capacity: int) -> tuple[dict[int, _Bin], int]:
    """HashMap.resize: every bin splits in two that keep its order; small trees become lists again."""
    result: dict[int, _Bin] = {}
    for index, old in table.items():
        low = [node for node in old.chain if not node.hash & capacity]
        high = [node for node in old.chain if node.hash & capacity]
        for at, chain in ((index, low), (index + capacity, high)):
            if not chain:
                continue
            result[at] = _Bin(chain)
            if old.root is not None and len(chain) > UNTREEIFY:
                if len(chain) == len(old.chain):
                    result[at].root = old.root
                else:
                    result[at].treeify()
    return result, capacity * 2


def _insert(root: _Node, node: _Node) -> tuple[_Node, _Node]:
    """Hang `node` into the tree; the new root, and the key it was hung under before balancing."""
    at = root
    while True:
        left = (node.hash, node.key) < (at.hash, at.key)
        below = at.left if left else at.right
        if below is None:
            break
        at = below
    node.parent = at
    if left:
        at.left = node
    else:
        at.right = node
    return _balance(root, node), at


def _balance(root: _Node, x: _Node) -> _Node:
    """HashMap.TreeNode.balanceInsertion: the usual red-black repair, from `x` upwards."""
    x.red = True
    while True:
        parent = x.parent
        if parent is None:
            x.red = False
            return x
        grand = parent.parent
        if not parent.red or grand is None:
            return root
        on_left = parent is grand.left
        uncle = grand.right if on_left else grand.left
        if uncle is not None and uncle.red:
            uncle.red = parent.red = False
            grand.red = True
            x = grand
            continue
        if x is (parent.right if on_left else parent.left):
            x = parent
            root = _rotate(root, x, left=on_left)
            parent = x.parent
            assert parent is not None
        parent.red = False
        grand.red = True
        root = _rotate(root, grand, left=not on_left)


def _rotate(root: _Node, p: _Node, *, left: bool) -> _Node:
    """Turn the tree at `p` to the left or right; the new root of the whole tree."""
    up = p.right if left else p.left
    assert up is not None
    inner = up.left if left else up.right
    if left:
        p.right = inner
    else:
        p.left = inner
    if inner is not None:
        inner.parent = p
    up.parent = p.parent
    if p.parent is None:
        root = up
        up.red = False
    elif p.parent.left is p:
        p.parent.left = up
    else:
        p.parent.right = up
    if left:
        up.left = p
    else:
        up.right = p
    p.parent = up
    return root
