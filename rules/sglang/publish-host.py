"""Host copies: slots first, then the value on the node, a host-only node after a prefetch, and the way back."""

from __future__ import annotations


class ComponentData:
    def __init__(self) -> None:
        self.host_value: list[int] | None = None


class UnifiedTreeNode:
    def __init__(self) -> None:
        self.children: dict[str, UnifiedTreeNode] = {}
        self.component_data: list[ComponentData] = [ComponentData()]


class UnifiedTreeCoreInterface:
    def commit_backup(self, node: int) -> None: ...


class UnifiedTreeCore(UnifiedTreeCoreInterface):
    def __init__(self) -> None:
        self.evictable_host_leaves: set[UnifiedTreeNode] = set()

    def graft(self, node: UnifiedTreeNode, key: str, slots: list[int]) -> None:
        fresh = UnifiedTreeNode()
        fresh.component_data[0].host_value = slots  # expect: host-tree commit
        node.children[key] = fresh  # expect: host-tree commit

    def cut(self, child_cd: ComponentData, cd: ComponentData) -> None:
        cd.host_value = None  # expect: host-tree unpublish

    def take_off(self, node: UnifiedTreeNode) -> None:
        node.children.pop("k")  # expect: nothing

    def free_leaf(self, node: UnifiedTreeNode) -> None:
        self.evictable_host_leaves.discard(node)
        self.take_off(node)  # expect: host-tree unpublish


class HostPool:
    def alloc(self, n: int) -> list[int]: ...


class HiCacheController:
    def __init__(self, pool: HostPool) -> None:
        self.mem_pool_host: HostPool = pool
        self.host_mem_release_queue: list[object] = []

    def give_back(self, slots: list[int]) -> None:
        self.host_mem_release_queue.append(slots)  # expect: host-reserve revoke


class HybridCacheController(HiCacheController):
    def slots_for(self, n: int) -> list[int]:
        return self.mem_pool_host.alloc(n)  # expect: host-reserve reserve


class UnifiedRadixCache:
    tree_core: UnifiedTreeCoreInterface

    def queued(self, node: int) -> None:
        self.tree_core.commit_backup(node)  # expect: host-driver commit
