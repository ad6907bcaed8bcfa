"""Conversations: what the server answers, and what both programs send after that."""
import re

MARK = re.compile(r"\bM-[A-Z0-9]+(?:-[A-Z0-9]+)*\b")
FILES = {"work/one.txt": "First M-ONE.\n", "work/two.txt": "Second M-TWO.\n"}


def read(number, name):
    return ["call", f"call_{number}", "read", {"path": name}]


def thought(word, signature):
    return ["thinking", f"Thinking of {word}.", signature]


def one_call(source):
    return [[read(1, "one.txt")]]


def two_calls(source):
    return [[read(1, "one.txt"), read(2, "two.txt")]]


def words_and_call(source):
    return [[["text", "Let me look, M-LOOK."], read(1, "one.txt")]]


def thinking_and_call(source):
    return [[thought("M-FIRST", "c2lnbmF0dXJlLW9uZQ=="), read(1, "one.txt")],
            [thought("M-SECOND", "c2lnbmF0dXJlLXR3bw=="), ["text", "Now M-NOW."], read(2, "two.txt")]]


def failing_call(source):
    return [[read(1, "missing.txt")]]


def unknown_tool(source):
    return [[["call", "call_1", "no_such_tool", {"x": 1}]]]


def wrong_arguments(source):
    return [[["call", "call_1", "read", {"file": "one.txt"}]]]


def command(source):
    return [[["call", "call_1", "bash", {"command": "cat one.txt; exit 3"}]]]


def written(source):
    return [[["call", "call_1", "write", {"path": "new.txt", "content": "New M-NEW.\n"}]], [read(2, "new.txt")]]


def overloaded(source):
    return [[["error", 529, "overloaded"]], [read(1, "one.txt")]]


def server_fault(source):
    return [[read(1, "one.txt")], [["error", 500, "internal error"]]]


def refused(source):
    return [[read(1, "one.txt")], [["error", 400, "messages: this is not right"]]]


def odd_ids(source):
    name = source.choice(["toolu_01A|fc_99", "functions.read:0", "x" * 80, "call_" + "1" * 59, "a b/c"])
    return [[["call", name, "read", {"path": "one.txt"}]]]


def equal_ids(source):
    return [[read(1, "one.txt")], [read(1, "two.txt")]]


def long_conversation(source):
    """So few calls in a circle that neither program says something about it: they do so after different numbers."""
    return [[["text", f"Step {number} M-STEP-{number}."], read(number, ("one.txt", "two.txt")[number % 2])] for number in range(1, 6)]


def second_prompt(source):
    """After an answer that was thought about, the user goes on."""
    return [[thought("M-FIRST", "c2lnbmF0dXJlLW9uZQ=="), ["text", "Answer M-ANSWER."]]]


def call_then_prompt(source):
    return [[thought("M-FIRST", "c2lnbmF0dXJlLW9uZQ=="), read(1, "one.txt")], [["text", "Answer M-ANSWER."]]]


# The first ones are part of every run.
SCRIPTS = [thinking_and_call, two_calls, failing_call, call_then_prompt, one_call, words_and_call, unknown_tool, wrong_arguments, command,
           written, overloaded, server_fault, refused, odd_ids, equal_ids, long_conversation, second_prompt]
TWO_PROMPTS = (second_prompt, call_then_prompt)


def made(script, source, reasoning):
    prompts = ["What is M-PROMPT?"] + (["And M-AGAIN?"] if script in TWO_PROMPTS else [])
    return {"name": script.__name__ + ("" if reasoning else " without reasoning"), "files": FILES, "replies": script(source),
            "model": {"reasoning": reasoning}, "arguments": ["--auto-approve", *prompts]}


def cases(source, count):
    chosen = [made(script, source, True) for script in SCRIPTS[:count]]
    while len(chosen) < count:
        chosen.append(made(source.choice(SCRIPTS), source, source.random() < 0.5))
    return chosen


def marked(text):
    """The words of a text that are ours to compare: what the programs say around them differs."""
    return " ".join(dict.fromkeys(MARK.findall(text)))
