"""What a patch comes to if it is taken by the word, without any repair.

In a file that changed, a line is who it is, which only the maker of the case knows.
"""
import re

LITERAL = re.compile(r"\s*(?:\"[^\"]*\"|'[^']*'|[-+]?\d+(?:\.\d+)?)\s*,?\s*")


def body(hunk):
    """The rows of a hunk without what only marks them as rows."""
    if hunk.style == "numbered" and all(LITERAL.fullmatch(row) for row in hunk.rows):
        return hunk.body()
    return [row[1:] for row in hunk.body()] if hunk.style == "plus-numbered" else hunk.rows


def indentation(line):
    return len(line) - len(line.lstrip())


def block(case, first):
    """The last line of the block that begins on a line: to the brace that closes it, or as far as the lines below are
    indented more. None if it is none."""
    lines, kind = case["lines"], case["kind"]
    if kind == "txt" or first > len(lines) or lines[first - 1].strip() in ("", "}", "});"):
        return None
    opener, depth = lines[first - 1], indentation(lines[first - 1])
    if kind == "py":
        last = first
        for number in range(first + 1, len(lines) + 1):
            if lines[number - 1].strip() and indentation(lines[number - 1]) <= depth:
                break
            last = number if lines[number - 1].strip() else last
        return last
    if not opener.endswith("{"):
        return first
    closing = (number for number in range(first + 1, len(lines) + 1) if indentation(lines[number - 1]) == depth)
    return next((number for number in closing if lines[number - 1].strip().startswith("}")), None)


def by_identity(case, hunk):
    """First and last line of the file as it is now, counted from zero, or None if they are not all there, together."""
    identities = [identity for identity, _ in case["live"]]
    span = range(hunk.first, min(hunk.last, case["count"]) + 1)
    if len(span) == 0:
        # Behind the last line, which is a place only while nothing moved.
        return None if case["state"] != "fresh" else (len(identities), len(identities) - 1)
    found = [identities.index(line) if line in identities else None for line in span]
    if None in found or found[-1] - found[0] != len(found) - 1:
        return None
    return found[0], found[-1]


def by_numbers(case, hunk):
    """The same where the whole file is still there, and something was only added before or behind it: in a file of lines
    that look alike, nobody can tell that from lines that came between."""
    old, live = case["lines"], [text for _, text in case["live"]]
    begins, ends = live[: len(old)] == old, live[len(live) - len(old) :] == old and len(live) >= len(old)
    if begins == ends or hunk.last > case["count"]:
        return None
    added = 0 if begins else len(live) - len(old)
    return hunk.first - 1 + added, hunk.last - 1 + added


def alone(case, hunk):
    """Are the lines there, and neither line beside them?"""
    found = by_identity(case, hunk) if hunk.first and hunk.last <= case["count"] else None
    if found is None:
        return False
    edge = [None]
    old, live = edge + case["lines"] + edge, edge + [text for _, text in case["live"]] + edge
    before, after = old[hunk.first - 1], old[hunk.last + 1]
    return before != live[found[0]] and after != live[found[1] + 2]


class Refused(Exception):
    pass


def concrete(case, hunk):
    """The operation on lines that a block operation stands for."""
    if not hunk.op.endswith("block"):
        return hunk.op, hunk
    lines = case["lines"]
    closes = hunk.first <= len(lines) and lines[hunk.first - 1].strip() in ("}", "});")
    # FIL-152: behind a line that closes a block is behind the block.
    last = hunk.first if closes and hunk.op == "post-block" else block(case, hunk.first)
    if last is None:
        raise Refused
    found = type(hunk)({"swap-block": "swap", "del-block": "del", "post-block": "post"}[hunk.op], hunk.first, last)
    return found.op, found


def meant(case, place=by_identity):
    """The text afterwards, or None for a refusal."""
    try:
        return applied(case, place)
    except Refused:
        return None


def applied(case, place):
    nameable = case["count"] + (1 if case["final"] else 0)
    gaps, removed = {}, set()
    for order, hunk in enumerate(case["hunks"]):
        op, lines = concrete(case, hunk)
        rows = body(hunk)
        if op != "del" and not rows:
            raise Refused
        if op in ("head", "tail"):
            at, rank = (0, 0) if op == "head" else (len(case["live"]), 4)
        else:
            found = place(case, lines) if lines.last <= nameable else None
            if found is None:
                raise Refused
            first, last = found
            taken = set(range(first, last + 1)) if op in ("swap", "del") else set()
            if taken & removed:
                raise Refused
            removed |= taken
            at, rank = {"post": (last + 1, 1), "pre": (first, 2), "swap": (first, 3), "del": (first, 3)}[op]
        gaps.setdefault(at, []).append((rank, order, rows))
    lines = []
    for at in range(len(case["live"]) + 1):
        for _, _, rows in sorted(gaps.get(at, []), key=lambda part: part[:2]):
            lines += rows
        if at < len(case["live"]) and at not in removed:
            lines.append(case["live"][at][1])
    final, end = (case["final"], case["end"]) if case["live"] else (True, "\n")
    return case["mark"] + end.join(lines) + (end if final and lines else "")
