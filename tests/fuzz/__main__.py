"""Run many worlds: `python -m tests.fuzz --persons 20000 [--seed 0] [--family RF]`."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter

from skresp.reach._cache import shared_cache
from skresp.reach._option_table import shared_tables

from .checks import failures
from .twists import TWISTS
from .world import FAMILIES, make_world


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--persons", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--people", type=int, default=8, help="people in one world")
    parser.add_argument("--family", choices=FAMILIES, default=None)
    parser.add_argument(
        "--quick", action="store_true", help="only scores, intervals and verdicts"
    )
    parser.add_argument("--twist", choices=TWISTS, default=None)
    args = parser.parse_args()
    persons: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    worlds: Counter[str] = Counter()
    verdicts: dict[str, Counter[str]] = {family: Counter() for family in FAMILIES}
    seed = args.seed
    while persons.total() < args.persons:
        world = make_world(seed, args.family, args.people, args.twist)
        if world is not None:
            shared_cache.clear()
            shared_tables.clear()
            persons[world.family] += len(world.people)
            worlds[world.family] += 1
            tally = verdicts[world.family]
            try:
                found = list(failures(world, quick=args.quick, tally=tally))
            except Exception:
                found = [traceback.format_exc()]
            for text in found:
                print(
                    f"seed {seed} {world.family} {world.interventions}: {text}",
                    flush=True,
                )
            failed[world.family] += bool(found)
        seed += args.stride
        if seed % 100 == args.seed % 100:
            print(f"at seed {seed}: {persons.total()} persons", file=sys.stderr)
    for family in filter(persons.get, FAMILIES):
        counts = ", ".join(f"{v} {n}" for n, v in verdicts[family].most_common())
        print(
            f"{family:18s} persons {persons[family]:6d}  worlds {worlds[family]:5d}  "
            f"worlds that fail {failed[family]}  ({counts})"
        )
    print(
        f"{persons.total()} persons, {failed.total()} worlds that fail, "
        f"next seed {seed}"
    )
    return int(failed.total() > 0)


if __name__ == "__main__":
    raise SystemExit(main())
