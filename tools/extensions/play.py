"""Plays one extension: omp on a terminal, in a home and a project of its own, in front of a scripted model."""
import json, os, pathlib, re, shutil, subprocess, tempfile, time

import scripted
from scripted import Server
from terminal import Terminal, squeezed

MODELS = """providers:
  example:
    baseUrl: {base}/v1
    api: openai-completions
    apiKey: key
    models:
      - {{id: m, name: M, contextWindow: 200000, maxTokens: 8192, reasoning: true}}
      - {{id: other, name: Other, contextWindow: 200000, maxTokens: 8192}}
"""
SETTINGS = "modelRoles:\n  default: example/m\n"
# A line of `/extensions list` that says what is wrong.
WRONG = re.compile(r"problem in [^:]+: .*?(?= {4}|$)|has ended: .*?(?= {4}|$)|not loaded: .*?(?= {4}|$)", re.M)
# What omp does not offer, and says so.
KNOWN = re.compile(r"is built in; the extension's is skipped|its handlers never run|(?:is|are) not available yet")


# A conversation that is worth a summary.
scripted.USAGE = 20_000


class Failed(Exception):
    pass


class Play:
    def __init__(self, omp, extension, case, user=None, path=None):
        self.extension, self.case, self.user = extension, case, user
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="omp-play-"))
        self.work, self.temporary = self.root / "home" / "project", self.root / "tmp"
        for folder in (self.work, self.temporary, self.root / "home/.omp/agent"):
            folder.mkdir(parents=True)
        self.server = Server()
        self.server.play(case["replies"])
        self.write("home/.omp/agent/models.yml", MODELS.format(base=self.server.address))
        self.write("home/.omp/agent/config.yml", SETTINGS + case["settings"])
        self.write("home/project/README.md", "a needle\n")
        # Deeper than a hook: the directory says what it is.
        self.arguments = ["--yolo", *self.named(), *case["arguments"]]
        self.environment = {"HOME": str(self.root / "home"), "PATH": path or os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color",
                            "COLORTERM": "truecolor", "TMPDIR": str(self.temporary), "OMP_SKIP_SETUP": "1", "PI_NO_TITLE": "1",
                            "NO_PROXY": "127.0.0.1", "SHELL": "/bin/bash", "GIT_AUTHOR_NAME": "You", "GIT_AUTHOR_EMAIL": "you@example.org",
                            "GIT_COMMITTER_NAME": "You", "GIT_COMMITTER_EMAIL": "you@example.org"}
        for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
            subprocess.run(["git", *arguments], cwd=self.work, env=self.environment, check=True)
        for name, words in case["files"].items():
            self.write(f"home/project/{name}" if not name.startswith("/") else name, words)
        self.omp = omp

    def named(self):
        """A custom tool is found in its directory; everything else is named."""
        parts = self.extension.parts
        if "custom-tools" not in parts:
            return ["-e", str(self.extension)]
        target = self.root / "home/.omp/agent/tools" / self.extension.parent.name
        shutil.copytree(self.extension.parent, target)
        return []

    def write(self, name, words):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)
        return path

    def command(self, arguments):
        command = [self.omp, *arguments]
        if self.user is None:
            return command
        subprocess.run(["chown", "-R", f"{self.user}:{self.user}", self.root], check=True)
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--no-new-privs", "--", *command]

    def run(self):
        """What came of it: `runs`, `what`, `why` (nothing if all went well)."""
        terminal = Terminal(self.command(self.arguments), self.environment, self.work)
        row = {"runs": "inside", "what": self.case["what"], "why": "", "notes": []}
        try:
            if not terminal.see("Ctrl+C twice: exit", 30):
                raise Failed("omp did not start: " + terminal.text()[-200:].strip())
            for step in self.case["steps"]:
                self.step(terminal, step)
            if self.case["steps"][-1:] != ("gone",):
                row.update(self.report(terminal))
            if self.case["ends"]:
                row["why"] = ""
        except Failed as failed:
            row["why"] = str(failed)
            said = self.report(terminal, 3)
            row["runs"] = said.get("runs", row["runs"])
            row["why"], row["notes"] = said.get("why") or row["why"], said.get("notes", [])
        finally:
            self.screen = terminal.text()
            terminal.close()
            self.server.close()
            shutil.rmtree(self.root, ignore_errors=True)
        return row

    def step(self, terminal, step):
        kind, _, rest = step.partition(" ")
        if kind == ">":
            terminal.type(rest)
        elif kind == "key":
            # A dialog that has just come takes no keys: they may have been meant for something else.
            time.sleep(0.2 if rest == "C-c" else 0.8)
            terminal.key(rest)
        elif kind == "write":
            name, _, words = rest.partition(": ")
            pathlib.Path(self.work / name).write_text(words)
        elif kind == "gone":
            if not terminal.ended(15):
                raise Failed("omp did not end")
        elif not terminal.wait(lambda: self.found(terminal, kind, rest), 15):
            raise Failed(f"{kind}: {rest!r} did not come")

    def found(self, terminal, kind, rest):
        if kind == "see":
            return squeezed(rest) in squeezed(terminal.text(terminal.since))
        if kind == "raw":
            return rest.encode() in terminal.raw
        if kind == "file":
            name, _, words = rest.partition(": ")
            path = self.work / name
            return path.exists() and words in path.read_text(errors="replace")
        messages = [message for request in list(self.server.requests) for message in request["body"].get("messages", [])]
        if kind == "result":
            messages = [message for message in messages if message["role"] == "tool"]
        return any(rest in json.dumps(message.get("content"), ensure_ascii=False).replace('\\"', '"') for message in messages)

    def report(self, terminal, patience=10):
        """What omp itself says of the extension."""
        if terminal.process.poll() is not None:
            return {}
        try:
            terminal.type("/extensions list")
        except OSError:
            return {}
        if not terminal.wait(lambda: "memory:" in terminal.text(terminal.since) or "not loaded:" in terminal.text(terminal.since), patience):
            return {}
        time.sleep(0.2)
        said = terminal.text(terminal.since)
        found = re.search(r"runs in a process of its own \(([^)]+)\)", said)
        runs = f"process ({found.group(1).split()[0]})" if found else "inside"
        lines = [" ".join(line.split()) for line in WRONG.findall(said)]
        wrong = [line for line in lines if not KNOWN.search(line)]
        # Behind them may be what else is on the screen.
        notes = [re.sub("^problem in load: ", "", line[:KNOWN.search(line).end()]) for line in lines if KNOWN.search(line)]
        return {"runs": runs, "why": wrong[0][:200] if wrong else "", "notes": notes}
