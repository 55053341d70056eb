# SPDX-License-Identifier: Apache-2.0
"""What a run has counted: statistics by name, launches, series, data frames."""

from __future__ import annotations

import difflib
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

Number = Union[int, float]
Row = Dict[str, Any]


def pandas() -> Any:
    """The module pandas, or an error that says what to install."""
    try:
        import pandas as module
    except ImportError as reason:
        raise ImportError(
            "a data frame needs pandas (Debian: python3-pandas); rows() needs nothing"
        ) from reason
    return module


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[Tuple[str, Number]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{name}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield prefix + name, value


class Numbers(Mapping[str, Any]):
    """Statistics by name: ``n["rf.hit_ratio"]`` and ``n.rf.hit_ratio`` are the same.

    Iteration gives the full names of all numbers below.
    """

    def __init__(self, tree: Mapping[str, Any], prefix: str = "") -> None:
        self._tree = tree
        self._prefix = prefix

    def __getitem__(self, name: str) -> Any:
        value: Any = self._tree
        for part in name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                raise KeyError(self._unknown(name))
            value = value[part]
        return Numbers(value, f"{self._prefix}{name}.") if isinstance(value, Mapping) else value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(self._unknown(name)) from None

    def _unknown(self, name: str) -> str:
        """Names that contain the last part of this one, else the most similar ones."""
        full = list(dict.fromkeys([*self, *self._tree]))
        part = name.rsplit(".", 1)[-1]
        near = [n for n in full if part in n][:3] or difflib.get_close_matches(name, full, n=3)
        text = f"no statistic is called '{self._prefix}{name}'"
        return text + (f"; near: {', '.join(self._prefix + n for n in near)}" if near else "")

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in _leaves(self._tree))

    def __len__(self) -> int:
        return sum(1 for _ in _leaves(self._tree))

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._tree]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._prefix.rstrip('.')}: {len(self)} numbers>"

    def numbers(self) -> Dict[str, Number]:
        """All numbers by their full names."""
        return dict(_leaves(self._tree))


_NO_NUMBERS = frozenset(("kernels", "series", "provenance", "architecture", "end", "partial"))
_OF_A_LAUNCH = frozenset(("launch", "id", "binary_version", "start", "end", "occupancy"))


class Launch(Numbers):
    """One launch of a run: its statistics, and how it was launched."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__({k: v for k, v in document.items() if k not in _OF_A_LAUNCH})
        self.index: int = document["launch"]
        self.kernel: str = document["name"]
        self.grid: Tuple[int, ...] = tuple(document["grid"])
        self.block: Tuple[int, ...] = tuple(document["block"])
        self.occupancy: int = document["occupancy"]
        self.limit: str = document["limit"]
        self.start: int = document["start"]
        self.end: int = document["end"]
        self.partial: bool = document["partial"]

    def __repr__(self) -> str:
        return f"<Launch {self.index} of {self.kernel}: {self['cycles']} cycles>"


class Series:
    """Statistics by interval. ``columns`` holds the names, ``values`` a list for each interval."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.interval: int = document["interval"]
        self.by: str = document["by"]
        self.columns: List[str] = list(document["columns"])
        self.values: List[List[Any]] = [list(row) for row in document["rows"]]

    def column(self, name: str) -> List[Any]:
        """One column, in the order of the rows."""
        if name not in self.columns:
            raise KeyError(f"the series has no column '{name}': {', '.join(self.columns)}")
        at = self.columns.index(name)
        return [row[at] for row in self.values]

    def rows(self) -> List[Row]:
        """One row for each interval and part of the machine."""
        return [dict(zip(self.columns, row)) for row in self.values]

    def to_dataframe(self) -> Any:
        """The same rows as a data frame."""
        return pandas().DataFrame(self.values, columns=self.columns)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Series of {len(self)} rows, every {self.interval} cycles, by {self.by}>"


class Result(Numbers):
    """A run: its statistics by name, its launches, and what it was made of.

    ``document`` is the whole JSON document that ``smrf run --json`` writes.
    """

    def __init__(
        self, document: Mapping[str, Any], trace: Sequence[str], notes: Sequence[str] = ()
    ) -> None:
        super().__init__({k: v for k, v in document.items() if k not in _NO_NUMBERS})
        self.document = document
        self.trace: Tuple[str, ...] = tuple(trace)
        self.notes: Tuple[str, ...] = tuple(notes)
        self.settings: Dict[str, Any] = {}
        self.launches: List[Launch] = [Launch(k) for k in document["kernels"]]
        self.series: Optional[Series] = (
            Series(document["series"]) if "rows" in (document.get("series") or {}) else None
        )

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Program, version, seed, digest of the trace, configuration."""
        return self.document["provenance"]

    @property
    def mechanism(self) -> str:
        """Name of the register file's mechanism."""
        return self.provenance["mechanism"]

    @property
    def preset(self) -> str:
        """Name of the preset."""
        return self.provenance["preset"]

    @property
    def config(self) -> Mapping[str, Any]:
        """The effective configuration: every parameter and its value."""
        return self.provenance["config"]

    @property
    def complete(self) -> bool:
        """The traces were replayed to their end."""
        return self.document["end"] == "finished"

    def row(self) -> Row:
        """Where the numbers come from, and all of them: one row of a table."""
        origin: Row = {
            "trace": " ".join(self.trace),
            "preset": self.preset,
            "mechanism": self.mechanism,
        }
        origin.update(self.settings)
        return {**origin, **self.numbers()}

    def rows(self) -> List[Row]:
        """One row a launch."""
        return [
            {"launch": one.index, "kernel": one.kernel, **one.numbers()} for one in self.launches
        ]

    def to_dataframe(self) -> Any:
        """A row a launch, a column a statistic."""
        return pandas().DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<Result of {' '.join(self.trace)} with {self.mechanism}: {self['cycles']} cycles>"


class Results(Sequence[Result]):
    """The results of several runs, in the order of the arguments."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._results = list(results)

    def __getitem__(self, index: Any) -> Any:
        got = self._results[index]
        return Results(got) if isinstance(index, slice) else got

    def __len__(self) -> int:
        return len(self._results)

    def where(self, **settings: Any) -> "Results":
        """Those with these values: ``where(mechanism="rfc")``. Write "." of a key as "_"."""

        def fits(row: Row) -> bool:
            by_name = {name.replace(".", "_"): value for name, value in row.items()}
            return all(by_name.get(name) == value for name, value in settings.items())

        return Results(r for r in self if fits(r.row()))

    def rows(self) -> List[Row]:
        """One row a run."""
        return [r.row() for r in self]

    def to_dataframe(self) -> Any:
        """A row a run: trace, preset, mechanism, what was varied, every statistic."""
        return pandas().DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} runs>"


class Comparison(Results):
    """Runs of the same traces; the first is what the others are compared with."""

    def speedup(self) -> Dict[str, float]:
        """Cycles of the first over cycles of each, by mechanism."""
        return {r.mechanism: self[0]["cycles"] / r["cycles"] for r in self}

    def table(self, *names: str) -> List[Row]:
        """A row a statistic: its value in every run. No name: cycles, IPC, hits, conflicts."""
        usual = ("cycles", "ipc", "rf.hit_ratio", "rf.bank_reads", "rf.bank_conflict_cycles")
        return [
            {"statistic": name, **{r.mechanism: r[name] for r in self}} for name in names or usual
        ]


class Profile:
    """Where time went, by kernel and instruction.

    ``kernels`` is a list of dictionaries: name, launches, cycles and instructions, each with its
    program counter, text, counts, and warp-cycles by state.
    """

    def __init__(self, document: Mapping[str, Any], result: Result) -> None:
        self.result = result
        self.kernels: List[Dict[str, Any]] = document["runs"][0]["kernels"]

    def rows(self) -> List[Row]:
        """One row an instruction, nested counts by dotted names."""
        rows: List[Row] = []
        for kernel in self.kernels:
            for inst in kernel["instructions"]:
                plain = {k: v for k, v in inst.items() if not isinstance(v, (Mapping, list))}
                counts = {
                    f"{k}.{name}": n
                    for k, v in inst.items()
                    if isinstance(v, Mapping)
                    for name, n in _leaves(v)
                }
                rows.append({"kernel": kernel["name"], **plain, **counts})
        return rows

    def to_dataframe(self) -> Any:
        """A row an instruction."""
        return pandas().DataFrame(self.rows())
