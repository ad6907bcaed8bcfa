"""Random cases: a file, what happened to it since it was read, and a patch such as models write.

A case has the patch in both languages: the original renamed the operations (`SWAP` is `PUT`, `DEL` is `CUT`, `INS` is
`PUT` with a gap). `meaning.py` tells what the patch comes to if it is taken by the word.
"""
import files

SEPARATORS = [".=", ".=", ".=", "-", "..", "…", " "]


class Hunk:
    """One operation on lines of the file as it was read, counted from one."""

    def __init__(self, op, first=None, last=None, rows=()):
        self.op, self.first, self.last = op, first, last if last is not None else first
        self.rows, self.style, self.separator, self.colon = list(rows), "plus", ".=", True
        self.remark = None

    def header(self, ours):
        first, last = self.first, self.last
        single = first == last and self.separator != ".="
        span = f"{first}" if single else f"{first}{self.separator}{last}"
        colon = ":" if self.colon else ""
        names = {
            "swap": (f"SWAP {span}{colon}", f"PUT {span}{colon}"),
            "del": (f"DEL {span}", f"CUT {span}"),
            "pre": (f"INS.PRE {first}{colon}", f"PUT <{first}{colon}"),
            "post": (f"INS.POST {first}{colon}", f"PUT >{first}{colon}"),
            "head": (f"INS.HEAD{colon}", f"PUT <1{colon}"),
            "tail": (f"INS.TAIL{colon}", f"PUT >${colon}"),
            "swap-block": (f"SWAP.BLK {first}{colon}", f"PUT {first}*{colon}"),
            "del-block": (f"DEL.BLK {first}", f"CUT {first}*"),
            "post-block": (f"INS.BLK.POST {first}{colon}", f"PUT >{first}*{colon}"),
        }
        return names[self.op][0 if ours else 1]

    def body(self):
        start = self.first or 1
        styles = {
            "plus": lambda number, row: "+" + row,
            "bare": lambda number, row: row,
            "numbered": lambda number, row: f"{number}:{row}",
            "plus-numbered": lambda number, row: f"+{number}:{row}",
            "mixed": lambda number, row: "+" + row if number % 2 else row,
        }
        return [styles[self.style](start + index, row) for index, row in enumerate(self.rows)]

    def text(self, ours):
        remark = [] if self.remark is None else [self.remark]
        return remark + [self.header(ours)] + self.body()


def indent(line):
    return line[: len(line) - len(line.lstrip())]


def new_rows(random, kind, lines, first, last, traits):
    """The body of a replacement: what models write, with their usual mistakes."""
    old = lines[first - 1 : last]
    base = indent(old[0]) if old else ""
    form = random.choices(
        ["fresh", "edited", "same", "both", "above", "below", "no-closer", "closer", "outer", "odd", "opener"],
        [5, 8, 1, 3, 2, 2, 2, 2, 1, 1, 1],
    )[0]
    code = kind if kind in ("ts", "rs", "c") else "txt"
    fresh = [base + files.statement(random, code) for _ in range(random.randint(1, 3))]
    edited = [line.replace("a", "A", 1) if random.random() < 0.6 else line for line in old]
    edited += [base + files.statement(random, code)] * random.randint(0, 1)
    above, below = lines[max(0, first - 1 - random.randint(1, 2)) : first - 1], lines[last : last + random.randint(1, 2)]
    rows = {
        "fresh": fresh,
        "edited": edited or fresh,
        "same": old or fresh,
        "both": above + (edited or fresh) + below,
        "above": above + (edited or fresh),
        "below": (edited or fresh) + below,
        "no-closer": [line for line in edited if line.strip() not in ("}", "});")] or fresh,
        "closer": (edited or fresh) + [random.choice(["}", base + "}", base[:-2] + "}", base[:-4] + "}"])],
        "outer": [line[2:] if line.startswith("  ") else line.lstrip("\t") for line in edited] or fresh,
        "odd": [random.choice(["", "+x", "-x", "- item", "[x]", "#x", "  ", "*** x", "12:30", "a:b", "@@ x"]) for _ in range(2)],
        "opener": [base + random.choice(["if (a) {", "each(() => {"])] + (edited or fresh),
    }[form]
    traits.add(form)
    return rows


def insert_rows(random, kind, lines, at, traits):
    near = lines[at - 1] if 0 < at <= len(lines) else ""
    base = indent(near)
    if base and random.random() < 0.35:
        traits.add("outdented")
        base = base[: random.choice([0, len(base) // 2])]
    code = kind if kind in ("ts", "rs", "c") else "txt"
    rows = [base + files.statement(random, code) for _ in range(random.randint(1, 2))]
    if random.random() < 0.1:
        rows = ["", *rows] if random.random() < 0.5 else [*rows, "}"]
    return rows


def hunk(random, kind, lines, traits):
    count = max(1, len(lines))
    op = random.choices(
        ["swap", "del", "pre", "post", "head", "tail", "swap-block", "del-block", "post-block"],
        [40, 14, 10, 16, 5, 6, 3, 2, 3],
    )[0]
    if random.random() < 0.02:
        count += random.randint(1, 3)
        traits.add("beyond")
    first = random.randint(1, count)
    last = min(count, first + random.choice([0, 0, 0, 1, 1, 2, 3, 5]))
    if op == "swap":
        return Hunk(op, first, last, new_rows(random, kind, lines, first, last, traits))
    if op == "del":
        return Hunk(op, first, last)
    if op in ("pre", "post", "post-block"):
        return Hunk(op, first, first, insert_rows(random, kind, lines, first, traits))
    if op in ("head", "tail"):
        return Hunk(op, None, None, insert_rows(random, kind, lines, 1, traits))
    opened = [number for number, line in enumerate(lines, 1) if line.endswith(("{", ":"))]
    first = random.choice(opened) if opened and random.random() < 0.8 else first
    return Hunk(op, first, first, insert_rows(random, kind, lines, first, traits) if op == "swap-block" else [])


def overlapping(hunks):
    taken = set()
    for one in hunks:
        lines = set(range(one.first, one.last + 1)) if one.op in ("swap", "del", "swap-block", "del-block") else set()
        if lines & taken:
            return True
        taken |= lines
    return False


def dress(random, one, traits):
    """The ways to write the same hunk."""
    one.separator = random.choice(SEPARATORS)
    if one.op in ("del", "del-block"):
        return
    if random.random() < 0.03:
        one.colon = False
        traits.add("no-colon")
    style = random.choices(["plus", "bare", "numbered", "plus-numbered", "mixed"], [90, 5, 3, 1, 1])[0]
    # Rows without a plus can be something else; here they are text.
    if style in ("bare", "mixed") and any(row.lstrip()[:1] in ("", "+", "-", "[", "#", "@", "*") for row in one.rows):
        style = "plus"
    if style != "plus" and any(row[:1].isdigit() for row in one.rows):
        style = "plus"
    one.style = style
    traits.add("rows " + style)


def patch(random, kind, lines, traits):
    for _ in range(30):
        hunks = [hunk(random, kind, lines, traits) for _ in range(random.choices([1, 2, 3, 4], [55, 25, 15, 5])[0])]
        if not overlapping(hunks):
            break
        if random.random() < 0.03:
            traits.add("overlap")
            break
    else:
        hunks = hunks[:1]
    for one in hunks:
        dress(random, one, traits)
    if random.random() < 0.02:
        hunks[0].remark = "# a remark"
    return hunks


def drift(random, lines, traits):
    """What something else did meanwhile. Lines are pairs of an identity and a text; None is a new line."""
    live = [(number, text) for number, text in enumerate(lines, 1)]
    for _ in range(random.randint(1, 3)):
        place = random.randint(0, len(live))
        form = random.choices(["insert", "delete", "change", "append", "prepend", "repeat"], [3, 2, 2, 3, 2, 1])[0]
        traits.add("drift " + form)
        if form == "insert":
            live[place:place] = [(None, files.word(random))] * random.randint(1, 2)
        elif form == "append":
            live += [(None, random.choice([files.word(random), *lines[:3]]))]
        elif form == "prepend":
            live[:0] = [(None, files.word(random))] * random.randint(1, 3)
        elif form == "repeat" and live:
            live[place:place] = [(None, text) for _, text in live[max(0, place - 2) : place]]
        elif live and form == "delete":
            del live[min(place, len(live) - 1)]
        elif live and form == "change":
            place = min(place, len(live) - 1)
            live[place] = (None, live[place][1] + " changed")
    return live


def written(lines, end, final, mark):
    return mark + end.join(lines) + (end if final and lines else "")


def case(random):
    traits = set()
    kind, lines = files.file(random)
    end = "\r\n" if random.random() < 0.08 else "\n"
    final, mark = random.random() > 0.12, "\ufeff" if random.random() < 0.02 else ""
    if not final and lines and lines[-1] == "":
        final = True
    hunks = patch(random, kind, lines, traits)
    live = None
    if lines and random.random() < 0.3:
        live = drift(random, lines, traits)
        if [text for _, text in live] == lines:
            live = None
    path = f"case.{kind}"
    made = {
        "path": path,
        "shown": written(lines, end, final, mark),
        "before": [],
        "live": None if live is None else written([text for _, text in live], end, final, mark),
    }
    style = random.random()
    texts = []
    for ours in (True, False):
        rows = [f"[{path}#TAG]"] + [row for one in hunks for row in one.text(ours)]
        if style < 0.03:
            rows = ["*** Begin Patch", *rows, "*** End Patch"]
        text = "\n".join(rows) + "\n"
        texts.append(text.replace("\n", "\r\n") if 0.03 <= style < 0.06 else text)
    identified = live if live is not None else [(number, text) for number, text in enumerate(lines, 1)]
    return {
        "ours": {**made, "patch": texts[0]},
        "theirs": {**made, "patch": texts[1]},
        "hunks": hunks,
        "count": len(lines),
        "live": identified,
        "final": final or not lines,
        "end": end,
        "mark": mark,
        "stale": live is not None,
        "traits": traits,
    }
