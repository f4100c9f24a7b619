"""A second implementation of docs/insights, which test/domain/insights/oracle.test.ts compares with domain/insights.

usage: python3 -B test/oracles/insights.py fixture     writes test/fixtures/insights/oracle.jsonl, of 1,000 users
       python3 -B test/oracles/insights.py results 300 prints all results of the first 300 users, one a line
Needs only the standard library. The fixture has a line for each user: the whole results of each tenth one, of the
others a digest of values that are rounded to ten digits. Where a border of the rounding is so near that the last bits
of a value decide, the whole results stand there.
"""

import hashlib
import json
import sys
from pathlib import Path

import day_methods
import night_methods
from users import user_of

USERS = 1000


def number_text(value):
    """Ten digits."""
    digits, exponent = f"{value or 0:.9e}".split("e")
    return f"{digits}e{int(exponent)}"


def canonical(value, scale=1):
    """Text that is equal in both languages: sorted keys and rounded numbers."""
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(part, scale) for part in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{canonical(value[key], scale)}" for key in sorted(value)) + "}"
    return number_text(value * scale)


def digest(value):
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


def is_near_border(value):
    return len({canonical(value, scale) for scale in (1 - 1e-13, 1, 1 + 1e-13)}) > 1


def results_of(inputs):
    methods = {**vars(day_methods), **vars(night_methods)}
    return {name: methods[name](*arguments) for name, arguments in inputs.items()}


def main(purpose, users=USERS):
    lines = []
    for seed in range(int(users)):
        inputs = user_of(seed)
        results = results_of(inputs)
        line = {"seed": seed, "inputs": digest(inputs)}
        if purpose == "results" or seed % 10 == 0 or is_near_border(results):
            lines.append({**line, "results": results})
        else:
            lines.append({**line, "digest": digest(results)})
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    if purpose == "results":
        sys.stdout.write(text)
    else:
        (Path(__file__).parent.parent / "fixtures/insights/oracle.jsonl").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
