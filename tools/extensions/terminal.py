"""A program on a terminal of its own, and what it has written, without a screen: rows are written once, so texts can be searched for."""
import fcntl, os, pty, re, signal, struct, subprocess, termios, threading, time

ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]", re.S)
# What a terminal says when it is asked: what it is, where the cursor is, its colours, what it can do.
ANSWERS = [
    (re.compile(rb"\x1b\[0?c"), b"\x1b[?62;22c"),
    (re.compile(rb"\x1b\[>0?c"), b"\x1b[>1;10;0c"),
    (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R"),
    (re.compile(rb"\x1b\[\?u"), b"\x1b[?0u"),
    (re.compile(rb"\x1b\]11;\?"), b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
]
KEYS = {"Escape": "\x1b", "Enter": "\r", "Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "Tab": "\t", "C-c": "\x03",
        "C-d": "\x04", "Space": " ", "S-Tab": "\x1b[Z", "C-M-p": "\x1b\x10"}


def squeezed(text):
    """Without spaces: the program may move the cursor instead of writing them."""
    return re.sub(r"\s+", "", text)


class Terminal:
    def __init__(self, command, environment, cwd, rows=60, columns=160):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        def own_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=cwd,
                                        start_new_session=True, preexec_fn=own_terminal)
        os.close(slave)
        self.raw, self.since, self.changed = b"", 0, threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        answered = 0
        while True:
            try:
                chunk = os.read(self.master, 65536)
            except OSError:
                chunk = b""
            with self.changed:
                self.raw += chunk
                self.changed.notify_all()
            if not chunk:
                return
            for pattern, answer in ANSWERS:
                for found in pattern.finditer(self.raw, answered):
                    self.send(answer)
            answered = len(self.raw)

    def send(self, data):
        try:
            os.write(self.master, data)
        except OSError:
            pass

    def text(self, since=0):
        return ESCAPES.sub("", self.raw[since:].decode(errors="replace"))

    def mark(self):
        self.since = len(self.raw)

    def type(self, text):
        """A line. Enter goes by itself, as a person presses it: together they would be a paste."""
        self.mark()
        self.send(text.encode())
        self.see(text[-20:], 10)
        self.mark()
        self.send(b"\r")

    def key(self, name):
        self.mark()
        self.send(KEYS.get(name, name).encode())

    def wait(self, found, seconds):
        """Waits for a condition; says whether it was met."""
        end = time.monotonic() + seconds
        with self.changed:
            while not found():
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self.changed.wait(min(left, 0.1))
        return True

    def see(self, text, seconds=20):
        wanted = squeezed(text)
        return self.wait(lambda: wanted in squeezed(self.text(self.since)), seconds)

    def see_raw(self, text, seconds=20):
        return self.wait(lambda: text.encode() in self.raw, seconds)

    def ended(self, seconds):
        try:
            self.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            return False

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.master)
