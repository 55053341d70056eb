# SPDX-License-Identifier: Apache-2.0
"""Loads the shared library with ctypes alone and replays a trace on both engines.

usage: load_library.py LIBRARY TRACE
"""

import ctypes
import sys


def cycles(lib: ctypes.CDLL, engine: str, trace: str) -> int:
    """Core cycles of one replay."""
    platform = ctypes.c_void_p()
    value = ctypes.c_uint64()

    def check(status: int) -> None:
        if status != 0:
            sys.exit(f"{engine}: {lib.smrf_platform_error(platform).decode()}")

    check(lib.smrf_platform_create(ctypes.byref(platform)))
    check(lib.smrf_platform_engine(platform, engine.encode()))
    check(lib.smrf_platform_add_trace(platform, trace.encode()))
    check(lib.smrf_platform_run(platform, ctypes.c_uint64(2**64 - 1)))
    check(lib.smrf_platform_count(platform, b"cycles", ctypes.byref(value)))
    lib.smrf_platform_destroy(platform)
    return value.value


library = ctypes.CDLL(sys.argv[1])
library.smrf_platform_error.restype = ctypes.c_char_p
counts = [cycles(library, engine, sys.argv[2]) for engine in ("direct", "systemc")]
print(counts[0], "and", counts[1], "cycles")
sys.exit(counts[0] == 0 or counts[0] != counts[1])
