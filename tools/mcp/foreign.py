"""Where the programs are that nobody here wrote, and our own side of the conversation."""
import json, pathlib, platform, shutil, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def installed():
    """The directory of the packages; exits as `setup` does."""
    done = subprocess.run([HERE / "setup"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return pathlib.Path(done.stdout.strip()) / "node_modules"


def node(modules):
    """A Node that is new enough."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    packaged = modules / f"node-linux-{machine}" / "bin" / "node"
    found = str(packaged) if packaged.exists() else shutil.which("node")
    if not found:
        sys.exit("no Node 22 or later: install one")
    return found


def omp():
    """Our program, built."""
    return built(["--bin", "omp"], "omp")


def example(name):
    """A program from crates/omp-mcp/examples, built."""
    return built(["--example", name], name)


def built(what, name):
    # Of the whole workspace, as the tests are: otherwise dependencies would be built again with fewer features.
    done = subprocess.run(["cargo", "build", "--quiet", "--workspace", *what, "--message-format", "json"], cwd=ROOT,
        stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"cannot build {name}")
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == name and message.get("executable"):
            return message["executable"]
    sys.exit(f"cargo built no {name}")
