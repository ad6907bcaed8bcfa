"""What all areas of the differential runs share: arguments, the cache, known differences, the report.

An area runs the same work through omp and through the original and gives each case a record: a dictionary of strings,
of which `class` says how the two results compare. Needs Python 3.9 and nothing outside of its standard library.
"""
import argparse, json, os, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SEED = 20
NOT_INSTALLED = 3
EXAMPLES = 5


def arguments(fast, long):
    """The arguments that every area takes; `fast` and `long` are how many cases there are unless `--count` says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true", help=f"{long} cases instead of {fast}, and look at known.toml")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int)
    parser.add_argument("--report", type=pathlib.Path, help="write the report as JSON to this file")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="unknown differences to show")
    options = parser.parse_args()
    if options.count is None:
        options.count = long if options.long else fast
    return options


def installed(area, options):
    """Where `setup` put what an area needs, by name. Without it the area is skipped, if nothing may be installed."""
    found = subprocess.run([HERE / "setup", area], stdout=subprocess.PIPE, text=True)
    if found.returncode == NOT_INSTALLED:
        write(options, {"area": area, "skipped": "not installed, and OMP_TEST_NO_INSTALL=1 is set"})
        sys.exit(0)
    if found.returncode != 0:
        sys.exit(found.returncode)
    return {name: pathlib.Path(path) for name, path in (line.split(" ", 1) for line in found.stdout.splitlines())}


def bun(sets):
    """The program of bun that runs on this machine. Its package has one for processors without AVX2, too."""
    for program in sorted((sets["bun"] / "node_modules" / "@oven").glob("*/bin/bun")):
        if subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return str(program)
    sys.exit("differential: the installed bun does not run on this machine")


def answers(command, cases, **settings):
    """Gives the cases to a program as JSON lines and takes one JSON line for each."""
    sent = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run(command, input=sent, stdout=subprocess.PIPE, text=True, encoding="utf-8", **settings)
    lines = done.stdout.split("\n")[:-1]
    if done.returncode != 0 or len(lines) != len(cases):
        sys.exit(f"differential: {command[0]} answered {len(lines)} of {len(cases)} cases (exit {done.returncode})")
    return [json.loads(line) for line in lines]


class Known:
    """The known differences of an area: `known.toml`, of which only `[name]` and `key = "string or list"` is read.

    `reason` is for people. Every other key names a field of the record and holds a regular expression that must be found
    in it, or a list of which one must be. An entry explains a case if all of its keys do; the first entry counts.
    """

    def __init__(self, path):
        self.entries, entry = {}, None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("[") and line.endswith("]"):
                entry = self.entries.setdefault(line[1:-1].strip(), {})
                continue
            key, equals, value = line.partition("=")
            if entry is None or not equals:
                sys.exit(f"{path}:{number}: not `[name]` or `key = value`")
            entry[key.strip()] = json.loads(value)
        for name, entry in self.entries.items():
            if not entry.get("reason") or len(entry) < 2:
                sys.exit(f"{path}: {name} needs a reason and a description")
        self.counts = dict.fromkeys(self.entries, 0)

    def explain(self, record):
        for name, entry in self.entries.items():
            if all(fits(value, record.get(key)) for key, value in entry.items() if key != "reason"):
                self.counts[name] += 1
                return name
        return None


def fits(wanted, text):
    wanted = wanted if isinstance(wanted, list) else [wanted]
    return text is not None and any(re.search(pattern, text, re.DOTALL) for pattern in wanted)


class Report:
    """Counts the cases of an area by class and by known difference, and keeps the unknown ones."""

    def __init__(self, area, options, agreeing):
        self.area, self.options, self.agreeing = area, options, agreeing
        self.known = Known(HERE / area / "known.toml")
        self.classes, self.unknown, self.cases = {}, [], 0

    def add(self, record):
        self.cases += 1
        kind = record["class"]
        self.classes[kind] = self.classes.get(kind, 0) + 1
        if kind not in self.agreeing and self.known.explain(record) is None:
            self.unknown.append(record)

    def finish(self):
        """Says what was found; the exit code is 1 if something is unknown."""
        for record in self.unknown[: self.options.examples]:
            print(f"unknown difference in {self.area} (seed {self.options.seed}):", file=sys.stderr)
            for key, value in record.items():
                print(f"  {key}: {value!r}" if "\n" not in value else f"  {key}:\n{indented(value)}", file=sys.stderr)
        unused = [name for name, count in self.known.counts.items() if count == 0]
        write(self.options, {
            "area": self.area,
            "cases": self.cases,
            "classes": self.classes,
            "known": {name: count for name, count in self.known.counts.items() if count},
            "unknown": len(self.unknown),
            "unused": unused if self.options.long else [],
        })
        sys.exit(1 if self.unknown else 0)


def indented(text):
    return "\n".join("    | " + line for line in text.split("\n"))


def write(options, report):
    if options.report:
        options.report.write_text(json.dumps(report), encoding="utf-8")
    else:
        print(table([report]))


def table(reports):
    """One table for all areas: a row for each class, and one for each known difference below it."""
    rows = []
    for report in reports:
        area = report["area"]
        if "skipped" in report:
            rows.append((area, "skipped: " + report["skipped"], ""))
            continue
        rows.append((area, "cases", report["cases"]))
        rows += [(area, name, count) for name, count in sorted(report["classes"].items(), key=lambda row: -row[1])]
        rows += [(area, "  known: " + name, count) for name, count in report["known"].items()]
        rows.append((area, "unknown differences", report["unknown"]))
        rows += [(area, "entry that nothing matched: " + name, "") for name in report["unused"]]
    widths = [max(len(str(row[column])) for row in rows) for column in range(3)] if rows else [0] * 3
    return "\n".join(f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}".rstrip() for a, b, c in rows)
