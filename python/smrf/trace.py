# SPDX-License-Identifier: Apache-2.0
"""Look into a trace without replaying it."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Tuple

from . import _library
from ._handle import Handle
from .errors import error_of
from .platform import PathLike


@dataclass(frozen=True)
class TracedLaunch:
    """A launch as the trace has it. Instructions are 0 unless they have been counted."""

    index: int
    kernel: str
    file: str
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    registers: int
    shared_bytes: int
    architecture: int
    stream: int
    blocks: int = 0
    warps: int = 0
    warp_insts: int = 0
    thread_insts: int = 0

    @property
    def threads(self) -> int:
        """Threads of the grid."""
        x, y, z = self.grid
        u, v, w = self.block
        return x * y * z * u * v * w


_COUNTED = ("blocks", "warps", "warp_insts", "thread_insts")


class Trace(Handle):
    """A trace, opened for reading; it is read once, from front to back.

    >>> with smrf.Trace("traces/bundled/hotspot") as trace:
    ...     for launch in trace.launches():
    ...         print(launch.kernel, launch.grid)
    """

    _destroy = "smrf_trace_close"

    def __init__(self, path: PathLike, *, strict: bool = False, outside: bool = False) -> None:
        super().__init__()
        options = _library.TraceOptions(strict, outside, 0)
        self._check(
            self._lib.smrf_trace_open(
                ctypes.byref(self._handle), os.fspath(path).encode(), ctypes.byref(options)
            )
        )

    def _check(self, status: int) -> int:
        if status < 0:
            text = self._lib.smrf_trace_error(self._handle) if self._handle else b"out of memory"
            raise error_of(status, text.decode(errors="replace"))
        return status

    def totals(self) -> Dict[str, int]:
        """Sums over what has been read so far."""
        totals = self._lib.smrf_trace_totals_get(self._handle).contents
        return {name: getattr(totals, name) for name, _ in totals._fields_}

    def warnings(self) -> List[str]:
        """Distinct warnings of what has been read: unknown opcodes and the like."""
        found: List[str] = []
        while True:
            text = self._lib.smrf_trace_warning(self._handle, len(found))
            if text is None:
                return found
            found.append(text.decode(errors="replace"))

    def _read_blocks(self) -> None:
        block = ctypes.c_void_p()
        while self._check(self._lib.smrf_trace_next_block(self._handle, ctypes.byref(block))):
            self._lib.smrf_trace_release_block(self._handle, block)

    def launches(self, count: bool = False) -> Iterator[TracedLaunch]:
        """The launches that follow. count: read their blocks, too, and count instructions."""
        info = _library.KernelInfo()
        while self._check(self._lib.smrf_trace_next_kernel(self._handle, ctypes.byref(info))):
            numbers: Dict[str, int] = {}
            header = {
                "index": info.id,
                "kernel": info.name.decode(errors="replace"),
                "file": (info.file or b"").decode(errors="replace"),
                "grid": (info.grid.x, info.grid.y, info.grid.z),
                "block": (info.block.x, info.block.y, info.block.z),
                "registers": info.num_regs,
                "shared_bytes": info.shared_bytes,
                "architecture": info.binary_version,
                "stream": info.stream,
            }
            if count:
                before = self.totals()
                self._read_blocks()
                after = self.totals()
                numbers = {name: after[name] - before[name] for name in _COUNTED}
            yield TracedLaunch(**header, **numbers)
