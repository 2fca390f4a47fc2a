"""A node in its parent's child map, the calls that lead there, the allocation before, the events after."""

from __future__ import annotations


class BlockStored: ...


class BlockRemoved: ...


class ComponentData:
    value: list[int] | None = None
    host_value: list[int] | None = None


class UnifiedTreeNode:
    def __init__(self) -> None:
        self.children: dict[str, UnifiedTreeNode] = {}
        self.parent: UnifiedTreeNode | None = None
        self.component_data: list[ComponentData] = [ComponentData()]


class Req:
    skip_radix_cache_insert = False


class BaseTokenToKVPoolAllocator:
    def alloc(self, n: int) -> list[int]:
        return [0] * n  # expect: nothing


class UnifiedTreeCoreInterface:
    def begin_insert(self, key: str) -> None: ...


class UnifiedTreeCore(UnifiedTreeCoreInterface):
    def begin_insert(self, key: str) -> None:
        self.grow(UnifiedTreeNode(), key, UnifiedTreeNode())  # expect: nothing

    def grow(self, parent: UnifiedTreeNode, key: str, node: UnifiedTreeNode) -> None:
        parent.children[key] = node  # expect: gpu-tree commit

    def cut(self, child: UnifiedTreeNode, key: str) -> None:
        new_node = UnifiedTreeNode()
        child.parent = new_node
        new_node.children[key] = child  # expect: nothing

    def drop(self, node: UnifiedTreeNode, key: str) -> None:
        node.children.pop(key)  # expect: gpu-tree unpublish

    def evict_one(self, node: UnifiedTreeNode) -> None:
        self.drop(node, "k")  # expect: gpu-tree unpublish

    def revive(self, node: UnifiedTreeNode, fresh_value: list[int]) -> None:
        node.component_data[0].value = fresh_value  # expect: gpu-tree commit

    def attach_window(self, node: UnifiedTreeNode, swa_value: list[int]) -> None:
        node.component_data[0].value = swa_value  # expect: gpu-tree commit


class BasePrefixCache:
    tree_core: UnifiedTreeCoreInterface
    allocator: BaseTokenToKVPoolAllocator

    def insert(self, key: str) -> None:
        self.tree_core.begin_insert(key)  # expect: gpu-callers commit

    def checkpoint(self, req: Req) -> None:
        self.insert("k")  # expect: gpu-callers commit


def let_go(req: Req, cache: BasePrefixCache) -> None:
    if not req.skip_radix_cache_insert:  # expect: gpu-callers revoke
        cache.checkpoint(req)  # expect: gpu-callers commit


def slots(cache: BasePrefixCache) -> list[int]:
    return cache.allocator.alloc(4)  # expect: gpu-reserve reserve


def room_for_batch(cache: BasePrefixCache) -> list[int]:
    return slots(cache)  # expect: gpu-reserve reserve


def tell() -> list[object]:
    return [BlockStored()]  # expect: gpu-events commit


def tell_gone() -> list[object]:
    return [BlockRemoved()]  # expect: gpu-events unpublish
