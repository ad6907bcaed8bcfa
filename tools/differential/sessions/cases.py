"""Random sessions as steps that a writer of sessions does: what is said, branches, labels, names, compactions, resets."""

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="
USAGE = {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15,
         "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}}
TEXTS = ["fix the parser", "größer 😀", "", "two\nlines\n", "<summary> is no tag here", "a \"quote\" \\ and \t tab", "x" * 700, "\u2028 odd \u0000 signs"]
OWN = ["user", "assistant", "calls", "command", "custom"]
THEIRS = OWN + ["developer", "mention", "python", "hook", "retried", "interrupted"]


class Session:
    """Grows one session; `foreign` are the roles and entries that only the original writes."""

    def __init__(self, source, foreign):
        self.source, self.foreign, self.steps, self.entries = source, foreign, [], []
        self.traits, self.number = set(), 0
        self.say("user", "begin")
        self.answer([self.text("hello")])
        for _ in range(source.randint(0, 25)):
            self.anything()

    def pick(self, *choices):
        return self.source.choice(choices)

    def chance(self, percent):
        return self.source.randrange(100) < percent

    def step(self, *step, entry=True):
        if entry:
            self.entries.append(len(self.steps))
        self.steps.append(list(step))

    def token(self, kind):
        self.number += 1
        return f"{kind}-{self.number}"

    def words(self):
        return self.token("word") + " " + self.source.choice(TEXTS)

    def text(self, text):
        return {"type": "text", "text": text}

    def image(self):
        return {"type": "image", "data": IMAGE, "mimeType": "image/png"}

    def message(self, **fields):
        self.step("message", {**fields, "timestamp": 1_772_000_000_000 + len(self.steps)})

    def say(self, role, text):
        content = text if self.chance(50) else [self.text(text)] + ([self.image()] if self.chance(15) else [])
        self.message(role=role, content=content)

    def answer(self, content, stop="stop", **more):
        self.message(role="assistant", content=content, api="openai-completions", provider="acme",
                     model=self.pick("m1", "m2"), usage=USAGE, stopReason=stop, **more)

    def thoughts(self):
        thought = {"type": "thinking", "thinking": self.words()}
        if self.chance(50):
            thought["thinkingSignature"] = self.token("sig")
        return [thought] if self.chance(40) else []

    def calls(self):
        count = self.source.randint(1, 3)
        calls = [{"type": "toolCall", "id": self.token("call"), "name": self.pick("read", "bash"), "arguments": {"path": self.words()}} for _ in range(count)]
        stop = self.pick("toolUse", "toolUse", "toolUse", "aborted", "error")
        self.answer(self.thoughts() + ([self.text(self.words())] if self.chance(50) else []) + calls, stop)
        for call in calls:
            if self.chance(85):
                content = [self.text(self.words())] + ([self.image()] if self.chance(10) else [])
                self.message(role="toolResult", toolCallId=call["id"], toolName=call["name"], content=content, isError=self.chance(20))

    def spoken(self):
        kind = self.source.choice(THEIRS if self.foreign else OWN)
        if kind == "user":
            self.say("user", self.words())
        elif kind == "assistant":
            self.answer(self.thoughts() + [self.text(self.words())], self.pick("stop", "stop", "stop", "length", "aborted", "error"))
        elif kind == "calls":
            self.calls()
        elif kind == "command":
            self.message(role="bashExecution", command=self.token("cmd"), output=self.pick("", self.token("out")), exitCode=self.pick(0, 1), cancelled=False,
                         truncated=False, **({"excludeFromContext": True} if self.chance(20) else {}))
        elif kind == "custom":
            content = self.words() if self.chance(60) else [self.text(self.words())] + ([self.image()] if self.chance(40) else [])
            name = self.pick("note", "note", "skill-prompt", *(["prewalk-plan"] if self.foreign else []))
            self.step("custom_message", name, content, self.chance(50), self.pick("user", "agent") if name == "skill-prompt" else "agent")
        elif kind == "developer":
            self.say("developer", self.words())
        elif kind == "mention":
            files = [{"path": f"{self.token('file')}.md", "content": self.pick("", self.words())} for _ in range(self.source.randint(0, 2))]
            files += [{"path": f"{self.token('file')}.png", "content": "", "image": self.image()} for _ in range(self.source.randint(0 if files else 1, 1))]
            self.source.shuffle(files)
            self.message(role="fileMention", files=files)
        elif kind == "python":
            self.message(role="pythonExecution", code=self.words(), output=self.pick("", self.words()), exitCode=self.pick(0, 2, None), cancelled=self.chance(20),
                         truncated=False, **({"excludeFromContext": True} if self.chance(20) else {}))
        elif kind == "hook":
            self.message(role="hookMessage", customType="h", content=self.words(), display=self.chance(50))
        elif kind == "retried":
            self.answer([self.text(self.words())], "error", errorMessage="x", retryRecovery={"kind": "auto-retry", "status": "recovered", "attempt": 1, "note": "x"})
        elif kind == "interrupted":
            self.answer([self.text(self.words()), {"type": "thinking", "thinking": self.words()}], "aborted")
            self.step("custom_message", "interrupted-thinking", self.words(), False, "agent")

    def anything(self):
        roll = self.source.randrange(100)
        if roll < 60:
            return self.spoken()
        if roll < 66:
            return self.step("branch", self.source.choice(self.entries), entry=False)
        if roll < 70:
            rewind = {"rewind": {"x": 1}} if not self.foreign and self.chance(30) else None
            summary = self.token("rewound" if rewind else "branched") + " " + self.source.choice(TEXTS)
            return self.step("branch_summary", self.pick(None, self.source.choice(self.entries)), summary, rewind)
        if roll < 76:
            kept = self.pick(None, *self.entries[-4:])
            sealed = None
            if self.foreign and self.chance(15):
                sealed = {"openaiRemoteCompaction": {"provider": "openai", "replacementHistory": [{"type": "compaction", "encrypted_content": "x"}]}}
            return self.step("compaction", self.token("sum") + " " + self.source.choice(TEXTS), self.pick(None, "short"), kept, 100, sealed)
        if roll < 80:
            return self.step("label", self.source.choice(self.entries), self.pick(None, self.token("label")))
        if roll < 84:
            return self.step("title", self.token("title") + self.pick("", " ü😀 " * 3, " long" * 80), self.pick("auto", "user"), entry=False)
        if roll < 88:
            return self.step("model", self.pick("acme/m3", "acme/m4"), self.pick(None, "default", "smol"))
        if roll < 91:
            return self.step("thinking", *(self.pick(("high", None), (None, None), ("low", "auto")) if self.foreign else ("high",)))
        if roll < 93:
            return self.step("mode", self.pick("plan", "none"))
        if roll < 95:
            return self.step("ttsr", [self.pick("a", "b"), "c"])
        if roll < 97:
            return self.step("custom", "state", {"x": self.words()})
        if not self.foreign:
            return self.step("root", entry=False)
        return self.step("reset") if roll < 99 else self.step("pin", "acme", "abc")


def case(source, foreign):
    return Session(source, foreign).steps


def continuation(source):
    """What the other program adds to a session: a turn and a name."""
    return [
        ["message", {"role": "user", "content": "go on", "timestamp": 1_773_000_000_000}],
        ["message", {"role": "assistant", "content": [{"type": "text", "text": "gone on"}], "api": "openai-completions", "provider": "acme", "model": "m1",
                     "usage": USAGE, "stopReason": "stop", "timestamp": 1_773_000_000_001}],
        ["title", source.choice(["named by the other", "ü" * 200]), "user"],
    ]
