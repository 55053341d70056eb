# SPDX-License-Identifier: Apache-2.0
"""Runs in one call: run, sweep, compare, profile, series."""

from __future__ import annotations

import itertools
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._library import Progress
from .platform import PathLike, Platform
from .result import Comparison, Profile, Result, Results, Series

Traces = Union[PathLike, Sequence[PathLike]]
Report = Union[bool, Callable[[Progress], Any], None]

# Of a sweep: what is no configuration key.
_CHOICES = ("trace", "preset", "mechanism", "seed")


def _list(traces: Traces) -> List[PathLike]:
    return [traces] if isinstance(traces, (str, os.PathLike)) else list(traces)


def _print(progress: Progress) -> None:
    share = f"{100 * progress.fraction:5.1f} %" if progress.fraction >= 0 else "  ...  "
    line = f"{share}  cycle {progress.cycle:,}, launch {progress.launch} {progress.kernel}"
    print(f"\r{line[:100]:100}", end="", file=sys.stderr, flush=True)


def _reporter(progress: Report) -> Optional[Callable[[Progress], Any]]:
    if progress is True:
        return _print
    return progress if callable(progress) else None


def run(
    trace: Traces,
    preset: Optional[str] = None,
    mechanism: Optional[str] = None,
    set: Optional[Dict[str, Any]] = None,
    *,
    engine: str = "direct",
    cycles: Optional[int] = None,
    progress: Report = None,
    **options: Any,
) -> Result:
    """Replay a trace, or several one after the other on the same machine.

    >>> result = smrf.run("traces/bundled/hotspot", mechanism="malekeh-long", set={"gpu.sms": 4})
    >>> result.cycles, result.rf.hit_ratio

    ``set`` holds options as ``smrf list options`` has them. ``engine="systemc"`` gives the same
    numbers; SystemC allows one simulation a process. ``progress=True`` prints how far it is; a
    function gets a Progress. Further options are those of Platform.configure.
    """
    with Platform(engine) as platform:
        platform.configure(preset=preset, mechanism=mechanism, set=set, **options)
        for path in _list(trace):
            platform.add_trace(path)
        result = platform.run(cycles, _reporter(progress))
        result.settings = dict(set or {})
        if progress is True:
            print(file=sys.stderr)
        return result


def _points(over: Mapping[str, Iterable[Any]]) -> List[Dict[str, Any]]:
    values = [[v] if isinstance(v, str) else list(v) for v in over.values()]
    return [dict(zip(over, point)) for point in itertools.product(*values)]


def sweep(
    trace: Traces,
    over: Mapping[str, Iterable[Any]],
    *,
    set: Optional[Dict[str, Any]] = None,
    workers: Optional[int] = None,
    progress: Optional[Callable[[int, int, Result], Any]] = None,
    **options: Any,
) -> Results:
    """All combinations of the values of ``over``, each trace by itself.

    >>> table = smrf.sweep(traces, {"mechanism": ["baseline", "rfc"], "rf.banks": [2, 4]})
    >>> table.to_dataframe().pivot_table("ipc", "rf.banks", "mechanism")

    Keys are "mechanism", "preset", "seed" or options. ``workers`` runs go on side by side (default:
    one a processor). ``progress`` is called with how many have ended, how many there are, and the
    latest result.
    """
    jobs = [{"trace": t, **point} for t in _list(trace) for point in _points(over)]
    done = itertools.count(1)

    def one(job: Dict[str, Any]) -> Result:
        chosen = {**options, **{k: v for k, v in job.items() if k in _CHOICES}}
        varied = {k: v for k, v in job.items() if k not in _CHOICES}
        result = run(set={**(set or {}), **varied}, **chosen)
        if "seed" in job:
            result.settings["seed"] = job["seed"]
        if progress is not None:
            progress(next(done), len(jobs), result)
        return result

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        running = [pool.submit(one, job) for job in jobs]
        try:
            return Results(job.result() for job in running)
        except BaseException:
            for job in running:
                job.cancel()
            raise


def compare(trace: Traces, mechanisms: Sequence[str], **options: Any) -> Comparison:
    """Replay the same traces with each mechanism; the first is the baseline.

    >>> smrf.compare("traces/bundled/hotspot", ["baseline", "malekeh-long"]).speedup()
    """
    with ThreadPoolExecutor(options.pop("workers", None) or os.cpu_count() or 1) as pool:
        running = [pool.submit(run, trace, mechanism=m, **options) for m in mechanisms]
        return Comparison(job.result() for job in running)


def profile(
    trace: Traces,
    preset: Optional[str] = None,
    mechanism: Optional[str] = None,
    set: Optional[Dict[str, Any]] = None,
    *,
    progress: Report = None,
    **options: Any,
) -> Profile:
    """Replay, and say where time went, by instruction."""
    with Platform() as platform:
        platform.configure(preset=preset, mechanism=mechanism, set=set, **options)
        platform.record_profile()
        for path in _list(trace):
            platform.add_trace(path)
        platform.run(progress=_reporter(progress))
        return platform.profile()


def series(
    trace: Traces,
    interval: int,
    of: Optional[Iterable[str]] = None,
    by: str = "gpu",
    preset: Optional[str] = None,
    mechanism: Optional[str] = None,
    set: Optional[Dict[str, Any]] = None,
    **options: Any,
) -> Series:
    """Replay, and give statistics every ``interval`` cycles.

    ``of`` are names or patterns ("ipc", "rf.*"); ``by`` is "gpu", "sm", "subcore" or "bank".
    """
    with Platform() as platform:
        platform.configure(preset=preset, mechanism=mechanism, set=set, **options)
        platform.record_series(interval, of, by)
        for path in _list(trace):
            platform.add_trace(path)
        recorded = platform.run().series
        assert recorded is not None  # it has been asked for
        return recorded
