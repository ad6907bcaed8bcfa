"""Small tasks for a small model: what is there, what is asked, and how one sees that it was done."""

import subprocess


def output(directory, *command):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=20)
    return done.stdout.strip()


def text(directory, name):
    path = directory / name
    return path.read_text() if path.is_file() else ""


GREETING = 'def greet(name):\n    return "Hello, " + name\n\n\nprint(greet("Ada"))\n'
BROKEN = "def add(a, b):\n    return a - b\n\n\nprint(add(2, 3))\n"
CONFIG = '{\n  "port": 8080,\n  "host": "localhost"\n}\n'

# name, files, prompt, check(directory, answer)
TASKS = [
    ("create and run", {}, "Create hello.py that prints 42, run it",
     lambda d, a: output(d, "python3", "hello.py") == "42"),
    ("create text", {}, "Create a file notes.txt with the single line: buy milk",
     lambda d, a: text(d, "notes.txt").strip() == "buy milk"),
    ("list files", {"alpha.txt": "a\n", "beta.txt": "b\n", "gamma.txt": "c\n"}, "Which files are in this folder?",
     lambda d, a: all(word in a for word in ("alpha", "beta", "gamma"))),
    ("read one value", {"config.json": CONFIG}, "Which port is set in config.json?",
     lambda d, a: "8080" in a),
    ("change one value", {"config.json": CONFIG}, "In config.json change the port from 8080 to 9090",
     lambda d, a: text(d, "config.json") == CONFIG.replace("8080", "9090")),
    ("fix a fault", {"sum.py": BROKEN}, "sum.py should print 5 but prints -1. Fix it",
     lambda d, a: output(d, "python3", "sum.py") == "5"),
    ("rename a function", {"greet.py": GREETING}, "Rename the function greet to welcome in greet.py",
     lambda d, a: "def welcome(" in text(d, "greet.py") and output(d, "python3", "greet.py") == "Hello, Ada"),
    ("run a command", {}, "Run `echo banana | tr a o` and tell me its output",
     lambda d, a: "bonono" in a),
    ("count lines", {"poem.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"}, "How many lines does poem.txt have?",
     lambda d, a: "7" in a or "seven" in a.lower()),
    ("search", {"a.py": "x = 1\n", "b.py": "SECRET_WORD = 'tulip'\n", "c.py": "y = 2\n"},
     "Which file defines SECRET_WORD?",
     lambda d, a: "b.py" in a),
    ("delete", {"old.log": "x\n", "keep.txt": "y\n"}, "Delete old.log with rm",
     lambda d, a: not (d / "old.log").exists() and (d / "keep.txt").exists()),
    ("make a folder", {}, "Make a folder src with an empty file src/main.py in it",
     lambda d, a: (d / "src" / "main.py").is_file()),
]
