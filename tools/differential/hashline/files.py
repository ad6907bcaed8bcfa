"""Random files: lines as programs, prose and data have them, with many that look alike."""

WORDS = ["alpha", "beta", "gamma", "delta", "value", "name", "count", "item", "größe", "名前", "état", "emoji 🙂"]
LANGUAGES = [("ts", "function {0}(a, b) {{"), ("rs", "fn {0}(a: u8) {{"), ("c", "int {0}(int a) {{"), ("txt", "section {0} {{")]


def word(random):
    return random.choice(WORDS[:8] if random.random() < 0.9 else WORDS)


def name(random):
    return random.choice("abcdefgh") + random.choice("xyz")


def statement(random, kind):
    forms = {
        "ts": ["const {0} = {1};", "{0}({1});", "return {0};", "{0}.{0}({1}, \"}}\");"],
        "rs": ["let {0} = {1};", "{0}({1});", "return;", "let {0} = \"{{\";"],
        "c": ["{0} = {1};", "{0}({1});", "return {1};"],
        "txt": ["{0} {1}", "{0}", "- {0}", "# {0}"],
    }[kind]
    return random.choice(forms).format(name(random), random.randint(0, 3))


def block(random, kind, opener, depth, unit, lines):
    lines.append(unit * depth + opener)
    for _ in range(random.randint(0, 4)):
        draw = random.random()
        if draw < 0.2 and depth < 3:
            block(random, kind, "if (a) {" if kind in ("ts", "c") else "if a {", depth + 1, unit, lines)
        elif draw < 0.27:
            lines.append("")
        elif draw < 0.33 and kind == "ts":
            lines += [unit * (depth + 1) + "each(() => {", unit * (depth + 2) + statement(random, kind), unit * (depth + 1) + "});"]
        else:
            lines.append(unit * (depth + 1) + statement(random, kind))
    lines.append(unit * depth + "}")


def program(random):
    kind, opener = random.choice(LANGUAGES)
    unit, lines = random.choice(["  ", "    ", "\t"]), []
    for _ in range(random.randint(1, 4)):
        block(random, kind, opener.format(name(random)), 0, unit, lines)
        if random.random() < 0.6:
            lines.append("")
    return kind, lines


def prose(random):
    lines = [" ".join(word(random) for _ in range(random.randint(0, 3))) for _ in range(random.randint(1, 14))]
    return random.choice(["txt", "md"]), lines


def data(random):
    """Maps with numbers as keys, and lists."""
    lines = ["items:"]
    for number in range(1, random.randint(2, 9)):
        lines.append(random.choice(["  {0}: \"{1}\",", "{0}: \"{1}\",", "  - {1}", "{0}: {1}"]).format(number, word(random)))
    return random.choice(["yaml", "txt"]), lines


def python(random):
    lines = []
    for _ in range(random.randint(1, 3)):
        lines.append(f"def {name(random)}(a):")
        for _ in range(random.randint(1, 4)):
            lines.append(random.choice(["    x = {0}", "    if a:\n        {0}", "    return {0}", "    # {0}", "    {0}({0})"]).format(name(random)))
        lines.append("")
    return "py", "\n".join(lines).split("\n")


def file(random):
    """A kind, which is the extension, and lines."""
    draw = random.random()
    if draw < 0.03:
        return "txt", []
    if draw < 0.05:
        return "txt", [""] * random.randint(1, 3)
    return random.choices([program, prose, data, python], [6, 3, 1, 2])[0](random)
