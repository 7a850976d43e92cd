"""Print how many attacks were tried and held, by topic: python -m tests.hardening."""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

from .attack import World
from .registry import TOPICS


def main() -> int:
    tried = held = 0
    lines = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world = World(Path(folder))
        for topic, attacks in TOPICS.items():
            outcomes = {attack.name: attack.outcome(world) for attack in attacks}
            failed = {name: text for name, text in outcomes.items() if text}
            tried, held = tried + len(attacks), held + len(attacks) - len(failed)
            lines.append(f"{topic:<30}{len(attacks):>6}{len(attacks) - len(failed):>6}")
            lines += [f"  {name}: {text}" for name, text in failed.items()]
    head = f"{'attacks':<30}{'tried':>6}{'held':>6}"
    lines = [head, *lines, f"{'all':<30}{tried:>6}{held:>6}", ""]
    sys.stdout.write("\n".join(lines))
    return int(held < tried)


if __name__ == "__main__":
    sys.exit(main())
