"""Speaking to one server through our client, and what came of it."""
import json, subprocess, sys

HEADINGS = """| server | transport | revision | tools | resources | prompts | connected after ms | calls ms |
|---|---|---|---|---|---|---|---|"""

problems = []


def probe(program, entry, *calls):
    command = [program, json.dumps(entry), *map(json.dumps, calls)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode != 0:
        return {"state": done.stderr.strip(), "tools": [], "calls": [{} for _ in calls]}
    return json.loads(done.stdout)


def row(name, report):
    if report["state"] != "connected":
        problems.append(f"{name}: {report.get('detail', report['state'])}")
    calls = [f"{call['milliseconds']:.1f}" for call in report["calls"] if "milliseconds" in call]
    cells = [name, report.get("transport"), report.get("revision"), len(report["tools"]), report.get("resources"),
        report.get("prompts"), f"{report.get('milliseconds') or 0:.0f}", " ".join(calls)]
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def expect(name, what, is_so, seen):
    if not is_so:
        problems.append(f"{name}: {what}: {json.dumps(seen)[:500]}")


def finish():
    """Says what went wrong, and ends."""
    for problem in problems:
        print(f"failed: {problem}")
    sys.exit(1 if problems else 0)
