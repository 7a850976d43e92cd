"""Reachable sets of every row: distinct part values, points, time; grid and solver.

Run with SKRESP_DATA set to the folder that holds the raw data:

    python benchmarks/reach.py
"""

import time

from skresp._actions._encoding import encode
from skresp.datasets import fetch_german, fetch_heloc
from skresp.reach._cache import make_reaches
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._part import parts_of
from skresp.reach._solver_search import Search

REPEATS = 5


def least(function, repeats=REPEATS):
    """Return the least time of several repeats, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def main():
    for fetch in (fetch_heloc, fetch_german):
        bunch = fetch()
        actions = bunch.action_set
        codes = encode(actions, bunch.data)
        parts = [part for part in parts_of(actions) if part.actionable]

        def values_of(part, codes=codes, actions=actions):
            columns = [actions.names.index(name) for name in part.names]
            return codes[:, columns][distinct_rows(codes[:, columns])[0]]

        def grid(parts=parts, values_of=values_of):
            return [make_reaches(part, values_of(part)) for part in parts]

        seconds, reaches = least(grid)
        sizes = [len(reach) for reach in reaches]
        points = sum(len(r.changes) for reach in reaches for r in reach)
        print(
            f"{fetch.__name__[6:]}: {len(codes)} rows, {len(parts)} parts that can "
            f"change, {min(sizes)} to {max(sizes)} distinct values a part, "
            f"{points} points, grid {seconds * 1e3:.1f} ms"
        )

        start = time.perf_counter()
        differences = 0
        for part, reach in zip(parts, reaches, strict=True):
            for value, listed in zip(values_of(part), reach, strict=True):
                search = Search(part, value)
                found, complete = search.changes(None, 100_000)
                same = sorted(map(tuple, found)) == sorted(map(tuple, listed.changes))
                differences += not (same and complete)
                for j in part.actionable:
                    found, complete = search.minimal(j, 100_000)
                    wanted = listed.changes[listed.interventions(j, "minimal")]
                    same = sorted(map(tuple, found)) == sorted(map(tuple, wanted))
                    differences += not (same and complete)
        solver = time.perf_counter() - start
        print(
            f"  the solver on the same values: {solver:.2f} s "
            f"({solver / seconds:.0f} times the grid), {differences} differences"
        )


if __name__ == "__main__":
    main()
