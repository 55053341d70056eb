# SPDX-License-Identifier: Apache-2.0
"""smrf: a cycle-level model of a GPU's register files, from Python.

>>> import smrf
>>> result = smrf.run("traces/bundled/hotspot", mechanism="malekeh-long")
>>> print(result.cycles, result.rf.hit_ratio)

Every call goes to libsmrf through ctypes; nothing else is needed. Data frames need pandas.
"""

from ._library import Progress, version
from .errors import (
    CheckError,
    ConfigurationError,
    CorruptError,
    Error,
    FileError,
    FormatError,
    LibraryNotFound,
    LimitError,
    OutOfMemory,
    ProtocolError,
    StateError,
    UnknownName,
)
from .platform import Platform
from .result import Comparison, Launch, Numbers, Profile, Result, Results, Series
from .run import compare, profile, run, series, sweep
from .store import Store, open_store
from .trace import Trace, TracedLaunch

__version__ = "0.1.0"

__all__ = [
    "CheckError",
    "Comparison",
    "ConfigurationError",
    "CorruptError",
    "Error",
    "FileError",
    "FormatError",
    "Launch",
    "LibraryNotFound",
    "LimitError",
    "Numbers",
    "OutOfMemory",
    "Platform",
    "Profile",
    "Progress",
    "ProtocolError",
    "Result",
    "Results",
    "Series",
    "StateError",
    "Store",
    "Trace",
    "TracedLaunch",
    "UnknownName",
    "compare",
    "open_store",
    "profile",
    "run",
    "series",
    "sweep",
    "version",
]
