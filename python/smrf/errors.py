# SPDX-License-Identifier: Apache-2.0
"""Errors of the library as exceptions, with the library's own text."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class Error(Exception):
    """A call of the library has failed; str() says what, where and what to do.

    ``code`` is the number of ``enum smrf_err``. ``result`` holds what a run had counted when it
    failed, where that can still be read.
    """

    code = 0
    result: Optional[Any] = None

    def __init__(self, text: str, code: Optional[int] = None) -> None:
        super().__init__(text)
        if code is not None:
            self.code = code


class ConfigurationError(Error, ValueError):
    """An argument or a configuration value is out of its legal range."""

    code = -1


class OutOfMemory(Error, MemoryError):
    """Memory could not be obtained."""

    code = -2


class FileError(Error, OSError):
    """A file could not be opened, read or written."""

    code = -3


class FormatError(Error, ValueError):
    """A file does not follow its format, or ends early."""

    code = -4


class CorruptError(FormatError):
    """A file ends early, or a length or checksum in it is wrong."""

    code = -5


class UnknownName(Error, LookupError):
    """No option, preset, mechanism or statistic has this name."""

    code = -6


class LimitError(Error):
    """The input needs more than a fixed limit of the model allows."""

    code = -7


class CheckError(Error):
    """A check of the model has failed: value oracle, conservation law or watchdog."""

    code = -8


class StateError(Error):
    """The call is not allowed now."""

    code = -9


class ProtocolError(Error):
    """The memory that is bound broke its protocol or answered with an error."""

    code = -10


class LibraryNotFound(ImportError):
    """libsmrf cannot be loaded; str() names the places that were tried."""


_BY_CODE: Dict[int, Type[Error]] = {
    kind.code: kind
    for kind in (
        ConfigurationError,
        OutOfMemory,
        FileError,
        FormatError,
        CorruptError,
        UnknownName,
        LimitError,
        CheckError,
        StateError,
        ProtocolError,
    )
}


def error_of(code: int, text: str) -> Error:
    """The exception that stands for an error code."""
    return _BY_CODE.get(code, Error)(text, code)
