# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libsmrf, and declares the functions that the package calls."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Iterator, List, Optional

from .errors import LibraryNotFound

SONAME = "libsmrf.so.0"
NO_LIMIT = 2**64 - 1


class Progress(ctypes.Structure):
    """How far a run is: struct smrf_progress."""

    _fields_ = [
        ("cycle", c_uint64),
        ("warp_insts", c_uint64),
        ("launch", c_uint64),
        ("_kernel", c_char_p),
        ("blocks", c_uint64),
        ("blocks_total", c_uint64),
        ("fraction", c_double),
        ("seconds", c_double),
    ]

    @property
    def kernel(self) -> str:
        """Name of the kernel that runs."""
        return (self._kernel or b"").decode(errors="replace")


class StatInfo(ctypes.Structure):
    """A statistic's name: struct smrf_stat_info."""

    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("meaning", c_char_p),
        ("is_count", c_bool),
    ]


class Dim3(ctypes.Structure):
    """struct smrf_dim3."""

    _fields_ = [("x", c_uint32), ("y", c_uint32), ("z", c_uint32)]


class KernelInfo(ctypes.Structure):
    """Header of a launch: struct smrf_kernel_info."""

    _fields_ = [
        ("name", c_char_p),
        ("file", c_char_p),
        ("id", c_uint32),
        ("grid", Dim3),
        ("block", Dim3),
        ("shared_bytes", c_uint64),
        ("num_regs", c_uint32),
        ("binary_version", c_uint32),
        ("stream", c_uint64),
        ("shared_window", c_uint64),
        ("local_window", c_uint64),
        ("tracer_version", c_uint32),
        ("has_values", c_bool),
    ]


class TraceTotals(ctypes.Structure):
    """Sums over what has been read: struct smrf_trace_totals."""

    _fields_ = [
        (name, c_uint64)
        for name in (
            "kernels",
            "blocks",
            "warps",
            "warp_insts",
            "thread_insts",
            "memcpy_commands",
            "memcpy_bytes",
            "unknown_opcodes",
            "unknown_lines",
            "missing_blocks",
            "repeated_blocks",
            "contradictions",
            "digest",
            "spilled_bytes",
        )
    ]


class TraceOptions(ctypes.Structure):
    """struct smrf_trace_options."""

    _fields_ = [("strict", c_bool), ("outside", c_bool), ("memory_budget", c_size_t)]


NOTE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, ctypes.POINTER(Progress))

_P = c_void_p
# name: result, arguments
_PROTOTYPES = {
    "smrf_platform_create": (c_int, (ctypes.POINTER(_P),)),
    "smrf_platform_destroy": (None, (_P,)),
    "smrf_platform_error": (c_char_p, (_P,)),
    "smrf_platform_version": (c_char_p, ()),
    "smrf_platform_preset": (c_int, (_P, c_char_p)),
    "smrf_platform_mechanism": (c_int, (_P, c_char_p)),
    "smrf_platform_mechanism_table": (c_int, (_P, c_char_p)),
    "smrf_platform_engine": (c_int, (_P, c_char_p)),
    "smrf_platform_threads": (c_int, (_P, c_uint)),
    "smrf_platform_gpgpusim": (c_int, (_P, c_char_p)),
    "smrf_platform_config_file": (c_int, (_P, c_char_p)),
    "smrf_platform_set": (c_int, (_P, c_char_p)),
    "smrf_platform_reuse_file": (c_int, (_P, c_char_p)),
    "smrf_platform_energy_file": (c_int, (_P, c_char_p)),
    "smrf_platform_series": (c_int, (_P, c_uint64, c_char_p, c_char_p)),
    "smrf_platform_profile": (c_int, (_P,)),
    "smrf_platform_strict": (c_int, (_P, c_bool)),
    "smrf_platform_allow_outside": (c_int, (_P, c_bool)),
    "smrf_platform_add_trace": (c_int, (_P, c_char_p)),
    "smrf_platform_on_note": (None, (_P, NOTE, c_void_p)),
    "smrf_platform_on_progress": (None, (_P, c_double, PROGRESS, c_void_p)),
    "smrf_platform_run": (c_int, (_P, c_uint64)),
    "smrf_platform_stop": (None, (_P,)),
    "smrf_platform_stat_at": (c_int, (_P, c_size_t, ctypes.POINTER(StatInfo))),
    "smrf_platform_seconds": (c_double, (_P,)),
    "smrf_platform_write_json": (c_int, (_P, c_char_p)),
    "smrf_platform_write_profile": (c_int, (_P, c_char_p)),
    "smrf_trace_open": (c_int, (ctypes.POINTER(_P), c_char_p, ctypes.POINTER(TraceOptions))),
    "smrf_trace_next_kernel": (c_int, (_P, ctypes.POINTER(KernelInfo))),
    "smrf_trace_next_block": (c_int, (_P, ctypes.POINTER(_P))),
    "smrf_trace_release_block": (None, (_P, _P)),
    "smrf_trace_totals_get": (ctypes.POINTER(TraceTotals), (_P,)),
    "smrf_trace_error": (c_char_p, (_P,)),
    "smrf_trace_warning": (c_char_p, (_P, c_size_t)),
    "smrf_trace_close": (None, (_P,)),
}


def _places() -> Iterator[str]:
    """Where the library may be: the environment, beside the package, a build, the system."""
    named = os.environ.get("SMRF_LIBRARY")
    if named:
        yield named
        return
    here = Path(__file__).resolve()
    # REPOSITORY/python/smrf beside REPOSITORY/build; PREFIX/lib/python3/dist-packages/smrf.
    for up, pattern in ((2, f"build*/{SONAME}"), (3, SONAME), (3, f"*/{SONAME}")):
        if up < len(here.parents):
            yield from sorted(str(found) for found in here.parents[up].glob(pattern))
    yield SONAME


def _load() -> ctypes.CDLL:
    tried: List[str] = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            for name, (result, arguments) in _PROTOTYPES.items():
                function = getattr(library, name)
                function.restype = result
                function.argtypes = list(arguments)
        except (OSError, AttributeError) as reason:  # none, or one of another version
            tried.append(f"{place}: {reason}")
            continue
        return library
    raise LibraryNotFound(
        f"{SONAME} cannot be loaded. Build or install smrf, or name the file in SMRF_LIBRARY.\n"
        + "\n".join(tried)
    )


_library: Optional[ctypes.CDLL] = None


def loaded() -> ctypes.CDLL:
    """libsmrf, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = _load()
    return _library


def version() -> str:
    """Version and commit of the library, for example "0.1.0 (a165281)"."""
    return loaded().smrf_platform_version().decode()
