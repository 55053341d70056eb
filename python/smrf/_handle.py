# SPDX-License-Identifier: Apache-2.0
"""A handle of the C library: given back once, at the latest when its owner goes."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar

from . import _library

Self = TypeVar("Self", bound="Handle")


class Handle:
    """A pointer that the library has given, and the function that takes it back."""

    _destroy = ""  # name of that function

    def __init__(self) -> None:
        self._lib = _library.loaded()
        self._handle = ctypes.c_void_p()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Give everything back. Closing twice does nothing."""
        if self._handle:
            getattr(self._lib, self._destroy)(self._handle)
            self._handle = ctypes.c_void_p()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()
