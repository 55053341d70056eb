# SPDX-License-Identifier: Apache-2.0
"""The C API's platform as an object: configure it, add traces, run it, read it."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Union

from . import _library
from ._handle import Handle
from ._library import NO_LIMIT, NOTE, PROGRESS, Progress
from .errors import Error, error_of
from .result import Profile, Result

PathLike = Union[str, "os.PathLike[str]"]
DONE, MORE, HALTED = 0, 1, 2
_LOOK_S = 0.2  # between two looks at the progress, so that a key press ends a run


def text_of(value: Any) -> str:
    """A setting's value as the configuration has it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


class Platform(Handle):
    """A modelled GPU. It belongs to one thread; close it, or use it in a ``with`` statement.

    >>> with Platform() as p:
    ...     p.configure(mechanism="malekeh-long", set={"gpu.sms": 4})
    ...     p.add_trace("traces/bundled/hotspot")
    ...     result = p.run()
    """

    _destroy = "smrf_platform_destroy"

    def __init__(self, engine: str = "direct") -> None:
        super().__init__()
        self.notes: List[str] = []
        self._traces: List[str] = []
        self._progress: Optional[Callable[[Progress], Any]] = None
        self._failure: Optional[BaseException] = None
        self._check(self._lib.smrf_platform_create(ctypes.byref(self._handle)))
        # The library keeps pointers to these.
        self._on_note = NOTE(self._note)
        self._on_progress = PROGRESS(self._look)
        self._lib.smrf_platform_on_note(self._handle, self._on_note, None)
        self._lib.smrf_platform_on_progress(self._handle, _LOOK_S, self._on_progress, None)
        self._call("engine", engine)

    # --- housekeeping ---

    def _check(self, status: int) -> int:
        if status < 0:
            raise error_of(status, self._lib.smrf_platform_error(self._handle).decode())
        return status

    def _call(self, name: str, *arguments: Any) -> int:
        given = [a.encode() if isinstance(a, str) else a for a in arguments]
        return self._check(getattr(self._lib, f"smrf_platform_{name}")(self._handle, *given))

    def _note(self, _: Any, text: bytes) -> None:
        self.notes.append(text.decode(errors="replace"))

    def _look(self, _: Any, progress: Any) -> None:
        try:
            if self._progress is not None:
                self._progress(progress.contents)
        except BaseException as failure:  # also a key press: raised again when the run has ended
            self._failure = failure
            self._lib.smrf_platform_stop(self._handle)

    # --- configuration ---

    def configure(
        self,
        *,
        preset: Optional[str] = None,
        mechanism: Optional[str] = None,
        set: Optional[Dict[str, Any]] = None,
        seed: Optional[int] = None,
        config: Iterable[PathLike] = (),
        gpgpusim: Iterable[PathLike] = (),
        energy: Iterable[PathLike] = (),
        reuse: Optional[PathLike] = None,
        table: Optional[PathLike] = None,
        threads: int = 1,
        strict: bool = False,
        allow_outside: bool = False,
    ) -> None:
        """Choose preset, mechanism and settings; see ``smrf list options``.

        ``config``, ``gpgpusim`` and ``energy`` are files; ``reuse`` is a file of ``smrf annotate``,
        ``table`` takes the place of the mechanism's table.
        """
        if preset is not None:
            self._call("preset", preset)
        if mechanism is not None:
            self._call("mechanism", mechanism)
        lists = {"gpgpusim": gpgpusim, "config_file": config, "energy_file": energy}
        for call, files in lists.items():
            for path in files:
                self._call(call, os.fspath(path))
        for call, path in (("reuse_file", reuse), ("mechanism_table", table)):
            if path is not None:
                self._call(call, os.fspath(path))
        settings = dict(set or {})
        if seed is not None:
            settings["sim.seed"] = seed
        for key, value in settings.items():
            self._call("set", f"{key}={text_of(value)}")
        self._call("threads", threads)
        self._call("strict", strict)
        self._call("allow_outside", allow_outside)

    def record_series(
        self, interval: int, of: Optional[Iterable[str]] = None, by: str = "gpu"
    ) -> None:
        """Also record statistics every ``interval`` cycles; ``of``: names or patterns."""
        names = None if of is None else ",".join([of] if isinstance(of, str) else of)
        self._call("series", interval, by, names)

    def record_profile(self) -> None:
        """Also record where time goes, by instruction."""
        self._call("profile")

    def add_trace(self, path: PathLike) -> None:
        """Append a trace: a folder, a kernelslist.g or one trace file."""
        self._call("add_trace", os.fspath(path))
        self._traces.append(os.fspath(path))

    # --- running and reading ---

    def run(
        self,
        cycles: Optional[int] = None,
        progress: Optional[Callable[[Progress], Any]] = None,
    ) -> Result:
        """Replay to the end, or at most so many further cycles.

        ``progress`` is called about five times a second. An exception of it, and a key press, end
        the run and are raised here. A run that fails raises an Error whose ``result`` has the
        numbers up to then.
        """
        self._progress, self._failure = progress, None
        try:
            self._call("run", NO_LIMIT if cycles is None else cycles)
        except Error as error:
            try:
                error.result = self.result()
            except Error:
                pass
            raise
        if self._failure is not None:
            raise self._failure
        return self.result()

    def _document(self, call: str) -> Any:
        with tempfile.TemporaryDirectory(prefix="smrf-") as folder:
            path = str(Path(folder) / "document.json")
            self._call(call, path)
            with open(path, encoding="utf-8", errors="replace") as file:
                return json.load(file)

    def result(self) -> Result:
        """What has been counted so far."""
        return Result(self._document("write_json"), self._traces, self.notes)

    def profile(self) -> Profile:
        """Where time went; record_profile() has asked for it before the run."""
        return Profile(self._document("write_profile"), self.result())

    def statistics(self) -> Iterator[Dict[str, Any]]:
        """Name, unit and meaning of every statistic, the mechanism's own last."""
        info = _library.StatInfo()
        index = 0
        while self._lib.smrf_platform_stat_at(self._handle, index, ctypes.byref(info)) == 0:
            yield {
                "name": info.name.decode(),
                "unit": info.unit.decode(),
                "meaning": info.meaning.decode(),
                "is_count": bool(info.is_count),
            }
            index += 1
