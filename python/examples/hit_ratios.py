# SPDX-License-Identifier: Apache-2.0
"""Figure: operands that the collectors' caches serve, by program and mechanism.

Malekeh's paper has it for Rodinia and DeepBench; this takes any traces. With matplotlib
(Debian: python3-matplotlib) it draws a figure, else it prints the table only.

usage: hit_ratios.py TRACE.. [-o FILE.svg]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Dict, List

import smrf

# Malekeh with its own policies, with GTO scheduling and LRU replacement, and BOW.
MECHANISMS = ["malekeh-long", "gto-lru", "bow-long"]


def measure(traces: List[str]) -> Dict[str, List[float]]:
    """Hit ratios in per cent, by mechanism, in the order of the traces."""

    def report(done: int, of: int, result: smrf.Result) -> None:
        print(f"{done} of {of}: {result}")

    table = smrf.sweep(traces, {"mechanism": MECHANISMS}, progress=report)
    return {m: [100 * r.rf.hit_ratio for r in table.where(mechanism=m)] for m in MECHANISMS}


def draw(programs: List[str], hits: Dict[str, List[float]], path: str) -> None:
    """A group of bars a program."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(3 + len(programs), 4), constrained_layout=True)
    width = 0.8 / len(hits)
    for i, (mechanism, values) in enumerate(hits.items()):
        places = [p + (i - (len(hits) - 1) / 2) * width for p in range(len(programs))]
        axes.bar(places, values, width, label=mechanism)
    axes.set_xticks(range(len(programs)))
    axes.set_xticklabels(programs, rotation=30, ha="right")
    axes.set_ylabel("operands served by a cache [%]")
    axes.legend()
    figure.savefig(path)
    print(f"{path} written")


def main() -> None:
    """Run, print the table, draw it."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("trace", nargs="+")
    words.add_argument("-o", "--output", default="hit_ratios.svg")
    given = words.parse_args()
    programs = [Path(t).name for t in given.trace]
    hits = measure(given.trace)
    print(f"{'':20}" + "".join(f"{m:>14}" for m in hits))
    for i, program in enumerate(programs):
        print(f"{program:20}" + "".join(f"{values[i]:13.1f}%" for values in hits.values()))
    try:
        draw(programs, hits, given.output)
    except ImportError:
        print("no figure: matplotlib is not installed (Debian: python3-matplotlib)")


if __name__ == "__main__":
    main()
