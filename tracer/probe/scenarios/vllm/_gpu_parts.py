"""What the scenarios on a CUDA device share: vLLM from its source, where its compiled operators are not there.

An operator that is missing is stood in for by plain torch, or by the driver's copy, under the name that the engine
calls; each is noted. Where the compiled part is installed, nothing is stood in for.
"""

import ctypes
import importlib.util
import os
import re
import sys
import types
from pathlib import Path


def prepare(probe):
    """Make vLLM importable on this machine; call it before the first import of vLLM. Skips where there is no CUDA."""
    import torch

    if not torch.cuda.is_available():
        probe.skip("torch sees no CUDA device here")
    os.environ["VLLM_TARGET_DEVICE"] = "cuda"
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    stood_in = []
    if importlib.util.find_spec("vllm._C_stable_libtorch") is None:
        for name in ("_C_stable_libtorch", "_C", "_moe_C"):
            sys.modules[f"vllm.{name}"] = types.ModuleType(f"vllm.{name}")
        stood_in = define(torch)
    probe.note("stood in for", ", ".join(stood_in) or "nothing")
    probe.note("device", torch.cuda.get_device_name(0))
    return torch


def define(torch):
    """Define the missing operators; returns their names."""
    made, kept = [], []

    def add(name, schema, function, keys=("CUDA",)):
        space, short = name.split("::")
        if hasattr(getattr(torch.ops, space), short):
            return
        library = torch.library.Library(space, "FRAGMENT")
        library.define(f"{short}{schema}")
        for key in keys:
            library.impl(short, function, key)
        kept.append(library)
        made.append(name)

    def silu_and_mul(out, x):
        half = x.shape[-1] // 2
        out.copy_(torch.nn.functional.silu(x[..., :half]) * x[..., half:])

    def normed(x, weight, epsilon):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + epsilon)).to(x.dtype) * weight

    def rms_norm(out, x, weight, epsilon):
        out.copy_(normed(x, weight, epsilon))

    def fused_add_rms_norm(x, residual, weight, epsilon):
        residual.add_(x)
        x.copy_(normed(residual, weight, epsilon))

    add("_C::silu_and_mul", "(Tensor! out, Tensor x) -> ()", silu_and_mul)
    add("_C::rms_norm", "(Tensor! out, Tensor x, Tensor weight, float epsilon) -> ()", rms_norm)
    schema = "(Tensor! x, Tensor! residual, Tensor weight, float epsilon) -> ()"
    add("_C::fused_add_rms_norm", schema, fused_add_rms_norm)
    schema = "(Tensor src, Tensor dst, Tensor sizes, bool any) -> ()"
    add("_C_cache_ops::swap_blocks_batch", schema, batch_copier(torch), ("CPU", "CUDA"))
    define.kept = kept  # a library that is collected takes its operators along
    return made


def batch_copier(torch):
    """`swap_blocks_batch` by one asynchronous copy of the CUDA runtime per pair, on the current stream."""

    def swap(sources, targets, sizes, _any_order):
        runtime = cuda_runtime()
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        for source, target, size in zip(sources.tolist(), targets.tolist(), sizes.tolist(), strict=True):
            failed = runtime.cudaMemcpyAsync(
                ctypes.c_void_p(target), ctypes.c_void_p(source), ctypes.c_size_t(size), ctypes.c_int(4), stream
            )
            if failed:
                raise RuntimeError(f"cudaMemcpyAsync returned {failed}")

    return swap


def cuda_runtime():
    """The CUDA runtime that torch has loaded into this process."""
    found = re.findall(r"\S*/libcudart[^\s/]*\.so[.\d]*", Path("/proc/self/maps").read_text(encoding="utf-8"))
    if not found:
        raise RuntimeError("torch has loaded no CUDA runtime")
    return ctypes.CDLL(found[0])


def caches(gpu, page):
    """One group of one KV cache tensor, as the offloading worker takes it."""
    from vllm.v1.kv_offload.base import CanonicalKVCacheRef, CanonicalKVCaches, CanonicalKVCacheTensor

    return CanonicalKVCaches(
        tensors=[CanonicalKVCacheTensor(tensor=gpu, page_size_bytes=page)],
        group_data_refs=[[CanonicalKVCacheRef(tensor_idx=0, page_size_bytes=page)]],
    )


def ends(blocks, chunks):
    """The two ends of a transfer: blocks on the device, chunks on the host."""
    from vllm.v1.kv_offload.base import GPULoadStoreSpec
    from vllm.v1.kv_offload.cpu.common import CPULoadStoreSpec

    return GPULoadStoreSpec(blocks, group_sizes=[len(blocks)], block_indices=[0]), CPULoadStoreSpec(chunks)
