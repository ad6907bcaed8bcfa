"""What both programs tell a model, brought to one form where they differ by a rule that known.toml names."""
import copy, re

SUMMARY = re.compile(r"<summary>\n(.*)\n</summary>\s*$", re.DOTALL)


def texts(message):
    return [part[1] for part in message["parts"] if part[0] == "text"]


def summary_words(mine, theirs, case):
    for message in mine + theirs:
        if message["role"] == "user" and len(message["parts"]) == 1 and texts(message):
            found = SUMMARY.search(message["parts"][0][1])
            if found and re.match(r"(sum|branched|rewound)-\d+\b", found[1]):
                message["parts"] = [["summary", found[1].rstrip()]]


def command_words(mine, theirs, case):
    for message in mine + theirs:
        text = texts(message)[0] if message["role"] == "user" and len(texts(message)) == 1 else ""
        if re.match(r"Ran `cmd-\d+`|The user ran a command", text):
            message["parts"] = [["command", re.findall(r"cmd-\d+|out-\d+", text)]]


def rewound_branches(mine, theirs, case):
    told = lambda message: any("rewound-" in str(part[1]) for part in message["parts"])
    theirs[:] = [message for message in theirs if not told(message)]


def sealed_history(mine, theirs, case):
    newest = [step for step in case["steps"] if step[0] == "compaction"]
    first = theirs and theirs[0]["parts"] and str(theirs[0]["parts"][0][1])
    sealed = [step[1].split(" ")[0] for step in newest if step[5]]
    if first and any(re.search(rf"{summary}\b", first) for summary in sealed):
        del mine[1 : case["mine"]["kept"]]


def is_interrupted(messages, index):
    return index + 1 < len(messages) and messages[index + 1].get("type") == "interrupted-thinking"


def interrupted_thinking(mine, theirs, case):
    for index, message in enumerate(mine):
        if message["role"] == "assistant" and is_interrupted(mine, index):
            parts = message["parts"]
            while parts and parts[-1][0] == "thinking" and parts[-1][1].strip() and not parts[-1][2]:
                parts.pop()


def dangling_calls(mine, theirs, case):
    paired = {message["call"] for message in mine if message["role"] == "result"}
    for message in mine:
        if message["role"] != "assistant" or all(part[0] != "call" or part[1] in paired for part in message["parts"]):
            continue
        kept = [part for part in message["parts"] if part[0] != "call" or part[1] in paired]
        message["parts"] = [["thinking", part[1], None] if part[0] == "thinking" else part for part in kept if part[0] != "redactedThinking"]
        message["emptied"] = not message["parts"]
    mine[:] = [message for message in mine if not message.pop("emptied", False)]


def broken_turns(mine, theirs, case):
    gone, kept = set(), []
    for index, message in enumerate(mine):
        broken = message["role"] == "assistant" and message["stop"] in ("error", "aborted") and not is_interrupted(mine, index)
        if broken:
            gone |= {part[1] for part in message["parts"] if part[0] == "call"}
        elif message["role"] != "result" or message["call"] not in gone:
            kept.append(message)
    mine[:] = kept


def is_skill_of_user(message, case):
    by_user = [step[2] for step in case["steps"] if step[0] == "custom_message" and step[1] == "skill-prompt" and step[4] == "user"]
    said = [content if isinstance(content, str) else content[0]["text"] for content in by_user]
    return message.get("type") == "skill-prompt" and any(text in said for text in texts(message))


def pictures_of_notes(mine, theirs, case):
    made = []
    for message in mine:
        pictures = [part for part in message["parts"] if part[0] == "image"]
        if message.get("type") in ("note", "skill-prompt", "h", "prewalk-plan") and pictures and not is_skill_of_user(message, case):
            words = [part for part in message["parts"] if part[0] == "text"]
            made.append({**message, "role": "developer", "parts": words})
            made.append({**message, "role": "user", "parts": [["text", f"Images attached to {message['type']}."], *pictures]})
        else:
            made.append(message)
    mine[:] = made


def pictures_of_developers(mine, theirs, case):
    for message in mine:
        if message.get("type") == "developer":
            message["role"] = "developer"


def skills_of_users(mine, theirs, case):
    for message in mine:
        if is_skill_of_user(message, case):
            message["role"] = "user"


def private_commands(mine, theirs, case):
    mine[:] = [message for message in mine if message.get("type") not in ("bashExecution", "pythonExecution") or message["parts"] != [["text", ""]]]


RULES = {rule.__name__.replace("_", "-"): rule for rule in (
    sealed_history, private_commands, summary_words, command_words, rewound_branches, skills_of_users, pictures_of_notes, pictures_of_developers,
    interrupted_thinking, dangling_calls, broken_turns)}


def brought(mine, theirs, case, without=()):
    mine, theirs = copy.deepcopy(mine), copy.deepcopy(theirs)
    for name, rule in RULES.items():
        if name not in without:
            rule(mine, theirs, case)
    for message in mine:
        message.pop("type", None)
    return mine, theirs


def explained(mine, theirs, case):
    """The names of the rules by which the two differ; `None` if they differ otherwise."""
    same = lambda without: (lambda pair: pair[0] == pair[1])(brought(mine, theirs, case, without))
    if same(RULES):
        return []
    if not same(()):
        return None
    unneeded = []
    for name in RULES:
        if same((*unneeded, name)):
            unneeded.append(name)
    return [name for name in RULES if name not in unneeded]
