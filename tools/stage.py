"""omp in tmux in front of a scripted model, for tools/tour and tools/screens.

Needs tmux, a binary of omp and one of omp-scripted-model (`cargo build -p omp -p omp-testkit`).
"""
import json, os, pathlib, shutil, subprocess, tempfile, time

SETTINGS = "theme:\n  dark: {theme}\n  light: {theme}\n"
MODELS = """providers:
  example:
    baseUrl: {base}/v1
    api: openai-completions
    apiKey: key
    models:
      - {{id: swift, name: Swift, contextWindow: 200000, maxTokens: 8192}}
      - {{id: thorough, name: Thorough, contextWindow: 1000000, maxTokens: 32000, reasoning: true}}
"""


def reply(text="", call=None, pauses=0, size=12):
    """A reply of the model: text, then a call `(tool, arguments)`. With `pauses` it takes so many milliseconds a delta."""
    made = {"text": text, "delta_size": size, "usage": {"input": 3200, "output": max(20, len(text) // 4)}}
    if call:
        made["tool_call"] = {"name": call[0], "arguments": {"_i": call[2] if len(call) > 2 else "as asked", **call[1]}}
    if pauses:
        made["stall"] = [{"after_event": event, "ms": pauses} for event in range(1, len(text) // size + 1)]
    return made


class Stage:
    """A home directory, a project in it, a model with these replies, and a terminal."""

    def __init__(self, omp, model, replies, theme="titanium", rows=34, columns=100, files=None, settings=""):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="omp-stage-"))
        self.home, self.omp, self.tmux = self.root / "you", os.path.abspath(omp), f"omp-stage-{os.getpid()}"
        self.rows, self.columns = rows, columns
        self.work = self.home / "project"
        self.work.mkdir(parents=True)
        scenario = self.root / "scenario.json"
        scenario.write_text(json.dumps({"replies": replies, "lenient": True, "repeat": False}))
        command = [os.path.abspath(model), "--scenario", str(scenario)]
        self.model = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        base = self.model.stdout.readline().strip()
        self.write(".omp/agent/models.yml", MODELS.format(base=base))
        self.write(".omp/agent/config.yml", SETTINGS.format(theme=theme) + settings)
        for path, text in (files or {}).items():
            self.write(f"project/{path}", text)
        git = ["git", "-C", str(self.work), "-c", "user.name=You", "-c", "user.email=you@example.org"]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)

    def write(self, path, text):
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def run(self, *arguments):
        return subprocess.run(["tmux", "-L", self.tmux, *arguments], check=True, capture_output=True, text=True).stdout

    def start(self, *arguments, setup=False):
        """Starts omp with these arguments; a shell remains when it ends."""
        variables = {"HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "COLORTERM": "truecolor",
                     "TERM": "tmux-256color", "NO_PROXY": "127.0.0.1", "PS1": "$ ", "TMUX": "stage", "PI_NO_TITLE": "1"}
        if not setup:
            variables["OMP_SKIP_SETUP"] = "1"
        environment = [f"{name}={value}" for name, value in variables.items()]
        size = ["-x", str(self.columns), "-y", str(self.rows)]
        shell = ["env", "-i", *environment, "bash", "--norc", "--noprofile", "-i"]
        self.run("-f", os.devnull, "new-session", "-d", *size, "-c", str(self.work), *shell)
        self.run("set-option", "-g", "status", "off")
        self.type(f"alias omp={self.omp}; clear", "Enter")
        self.wait("$")
        self.again(*arguments)

    def again(self, *arguments):
        self.type(" ".join(["omp", *arguments]), "Enter")

    def type(self, *keys):
        """Types texts; names of keys (Enter, Escape, C-c, Up …) are pressed."""
        for key in keys:
            named = key in ("Enter", "Escape", "Up", "Down", "Tab", "Left", "Right", "BSpace") or key[:2] in ("C-", "M-", "S-")
            self.run("send-keys", *([] if named else ["-l"]), key)
            time.sleep(0.05)

    def wait(self, text, gone=False, seconds=20):
        """Waits until a text is on the screen, or not any more."""
        end = time.time() + seconds
        while (text in self.screen()) == gone:
            if time.time() > end:
                raise SystemExit(f"waited for {text!r}, and the screen is:\n{self.screen()}")
            time.sleep(0.03)
        time.sleep(0.15)

    def screen(self, colors=False):
        return self.run("capture-pane", "-p", *(["-e", "-N"] if colors else []))

    def close(self):
        subprocess.run(["tmux", "-L", self.tmux, "kill-server"], capture_output=True)
        self.model.stdin.close()
        self.model.kill()
        self.model.wait()
        shutil.rmtree(self.root, ignore_errors=True)
