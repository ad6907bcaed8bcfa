"""The files that the server asked to hear about, and whether what it hears is that."""
import json
import re
import urllib.parse

WATCHING = "workspace/didChangeWatchedFiles"
WATCHED = {}
ENDING = {}
TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|.")
MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}


def expression(glob):
    def meaning(token):
        return token.replace("[!", "[^") if len(token) > 1 and token[0] == "[" else MEANINGS.get(token, re.escape(token))
    return "".join(meaning(token) for token in TOKENS.findall(glob))


def place(uri):
    return urllib.parse.unquote(urllib.parse.urlparse(uri).path).rstrip("/")


def ability(name):
    return STATE["abilities"].get("workspace", {}).get("didChangeWatchedFiles", {}).get(name)


def watching_asked(identity, step):
    """What is registered counts from here on, and what is taken back until the answer: the client may be ahead."""
    params = json.loads(json.dumps(step.get("params")).replace("${root}", STATE["root"]))
    if step["request"] == "client/registerCapability":
        for one in params["registrations"]:
            if one["method"] == WATCHING:
                check(ability("dynamicRegistration"), "registered, but the client said that it does not watch files")
                WATCHED[one["id"]] = one["registerOptions"]["watchers"]
                named = any(isinstance(watcher["globPattern"], dict) for watcher in WATCHED[one["id"]])
                check(not named or ability("relativePatternSupport"), "a pattern with a base for a client that knows none")
    elif step["request"] == "client/unregisterCapability":
        ENDING[identity] = [one["id"] for one in params["unregisterations"]]


def watching_answered(method, message):
    check("error" not in message or not str(method).startswith("client/"), f"{method}: {message}")
    for identity in ENDING.pop(message.get("id"), []):
        WATCHED.pop(identity, None)


def is_watched(path, kind):
    for watcher in (watcher for watchers in WATCHED.values() for watcher in watchers):
        pattern, base = watcher["globPattern"], place(STATE["root"])
        if isinstance(pattern, dict):
            base = pattern["baseUri"]
            base = place(base["uri"] if isinstance(base, dict) else base)
            pattern = pattern["pattern"]
        elif pattern.startswith("/"):
            pattern, base = pattern[1:], ""
        if watcher.get("kind", 7) & 1 << kind - 1 and re.fullmatch(re.escape(base) + "/" + expression(pattern), path):
            return True
    return False


def check_watched(params):
    changes = params.get("changes")
    if not check(WATCHED, "files have changed that nobody watches") or not check(changes, "no changes of files"):
        return
    uris = [change.get("uri") for change in changes]
    check(len(set(uris)) == len(uris), f"a file twice in {uris}")
    for uri, kind in ((change.get("uri"), change.get("type")) for change in changes):
        if check(kind in (1, 2, 3) and str(uri).startswith("file:///"), f"a change of {uri!r} of the kind {kind!r}"):
            check(is_watched(place(uri), kind), f"{uri} is not watched for changes of the kind {kind}")


