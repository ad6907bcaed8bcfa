"""What a patch comes to if it is taken by the word: no repair, and lines are who they are, not what they look like."""
import re

LITERAL = re.compile(r"\s*(?:\"[^\"]*\"|'[^']*'|[-+]?\d+(?:\.\d+)?)\s*,?\s*")
UNKNOWN = object()


def body(hunk):
    """The rows of a hunk without what only marks them as rows."""
    if hunk.style == "numbered" and all(LITERAL.fullmatch(row) for row in hunk.rows):
        return hunk.body()
    return [row[1:] for row in hunk.body()] if hunk.style == "plus-numbered" else hunk.rows


def place(case, hunk):
    """First and last line of the file as it is now, counted from zero, or None if they are not all there, together."""
    identities = [identity for identity, _ in case["live"]]
    span = range(hunk.first, min(hunk.last, case["count"]) + 1)
    if len(span) == 0:
        # Behind the last line, which is a place only while nothing moved.
        return None if case["stale"] else (len(identities), len(identities) - 1)
    found = [identities.index(line) if line in identities else None for line in span]
    if None in found or found[-1] - found[0] != len(found) - 1:
        return None
    return found[0], found[-1]


def meant(case):
    """The text afterwards, None for a refusal, UNKNOWN where the language decides."""
    nameable = case["count"] + (1 if case["final"] else 0)
    gaps, removed = {}, {}
    for order, hunk in enumerate(case["hunks"]):
        if hunk.op.endswith("block"):
            return UNKNOWN
        rows = body(hunk)
        if hunk.op != "del" and not rows:
            return None
        if hunk.op in ("head", "tail"):
            at, rank = (0, 0) if hunk.op == "head" else (len(case["live"]), 4)
        else:
            if hunk.last > nameable:
                return None
            found = place(case, hunk)
            if found is None:
                return None
            first, last = found
            if hunk.op in ("swap", "del"):
                for line in range(first, last + 1):
                    if line in removed:
                        return None
                    removed[line] = hunk
            at, rank = {"post": (last + 1, 1), "pre": (first, 2), "swap": (first, 3), "del": (first, 3)}[hunk.op]
        gaps.setdefault(at, []).append((rank, order, rows))
    lines = []
    for at in range(len(case["live"]) + 1):
        for _, _, rows in sorted(gaps.get(at, []), key=lambda part: part[:2]):
            lines += rows
        if at < len(case["live"]) and at not in removed:
            lines.append(case["live"][at][1])
    return case["mark"] + case["end"].join(lines) + (case["end"] if case["final"] and lines else "")
