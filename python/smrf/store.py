# SPDX-License-Identifier: Apache-2.0
"""Results that studies, sweeps and experiments have kept: experiment.sqlite."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, List, Optional, Sequence
from urllib.parse import quote

from .errors import FileError, FormatError
from .platform import PathLike
from .result import Row, pandas

FILE = "experiment.sqlite"


class Store:
    """A store, opened for reading. Use it in a ``with`` statement, or close it.

    The table ``results`` has all of it side by side: trace, variant, seed, launch (0: the run as a
    whole), name, value, unit.
    """

    def __init__(self, path: PathLike) -> None:
        file = Path(path)
        file = file / FILE if file.is_dir() else file
        if not file.is_file():
            raise FileError(f"{file}: there is no such store")
        self.path = file
        self._db = sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)
        self._db.row_factory = sqlite3.Row
        try:
            names = {row[0] for row in self._db.execute("SELECT name FROM sqlite_master")}
        except sqlite3.DatabaseError as reason:
            self._db.close()
            raise FormatError(f"{file}: {reason}") from reason
        if "results" not in names:
            self._db.close()
            raise FormatError(f"{file}: it has no table 'results', so it is no store of smrf")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> List[Row]:
        """Rows of a query, as dictionaries."""
        return [dict(row) for row in self._db.execute(sql, parameters)]

    def tables(self) -> List[str]:
        """Names of tables and views."""
        kinds = "type IN ('table', 'view')"
        rows = self.query(f"SELECT name FROM sqlite_master WHERE {kinds} ORDER BY name")
        return [row["name"] for row in rows]

    def runs(self) -> List[Row]:
        """What was run: key, trace, mechanism, status and more."""
        return self.query("SELECT * FROM runs")

    def results(self, name: Optional[str] = None, launches: bool = False) -> List[Row]:
        """Numbers of what the plan names; ``name`` may have "*"; by launch, too, if asked for."""
        sql = "SELECT * FROM results WHERE 1"
        parameters: List[Any] = []
        if name is not None:
            sql += " AND name GLOB ?"
            parameters.append(name)
        if not launches:
            sql += " AND launch = 0"
        return self.query(sql, parameters)

    def to_dataframe(self, sql: str = "SELECT * FROM results WHERE launch = 0") -> Any:
        """A query as a data frame."""
        return pandas().DataFrame(self.query(sql))


def open_store(path: PathLike) -> Store:
    """Open the store in a folder of a study or sweep, or the file itself."""
    return Store(path)
