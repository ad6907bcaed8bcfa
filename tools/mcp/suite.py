"""The official conformance suite: running it, and what came of it."""
import json, os, pathlib, re, subprocess

import foreign

DATE = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")


def run(modules, arguments):
    """Runs the suite; what it printed."""
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    node = foreign.node(modules)
    environment = dict(os.environ, PATH=f"{pathlib.Path(node).parent}:{os.environ['PATH']}")
    command = [node, str(suite), *arguments, "--timeout", "60000"]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def results(output):
    """Passed and failed checks of every scenario."""
    found = {}
    for file in output.rglob("checks.json"):
        name = DATE.sub("", str(file.parent.relative_to(output)))
        states = [check["status"] for check in json.loads(file.read_text(encoding="utf-8"))]
        found[name] = (states.count("SUCCESS"), states.count("FAILURE"))
    return found


def unscored(text):
    """Scenarios that are run but not required, with the reason."""
    return dict(re.findall(r"^  [✓✗] (\S+) \((.*)\)$", text, re.M))


def report(table, optional):
    """Prints the table; how many required scenarios failed, or 1 if none was run."""
    revisions = sorted({revision for row in table.values() for revision in row})
    failed = 0
    print("| scenario | " + " | ".join(revisions) + " | |")
    print("|---|" + "---|" * (len(revisions) + 1))
    for scenario in sorted(table):
        cells = []
        for revision in revisions:
            passed, wrong = table[scenario].get(revision, (None, 0))
            # Without the number of checks, which depends on how fast both ends are.
            cells.append("" if passed is None else "**failed**" if wrong else "passed")
            failed += bool(wrong) and scenario not in optional
        print(f"| {scenario} | " + " | ".join(cells) + f" | {optional.get(scenario, '')} |")
    required = [scenario for scenario in table if scenario not in optional]
    print(f"\n{len(required)} required scenarios, {failed} failed; {len(optional)} optional ones")
    return failed if required else 1
