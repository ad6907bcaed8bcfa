"""Furnished homes: what a run of each says first. Every text that may reach a model holds a word of its own, such as M-HOME."""
import re

MARK = re.compile(r"\bM-[A-Z0-9]+(?:-[A-Z0-9]+)*\b")

SKILL = "---\nname: {name}\ndescription: about {mark}\n---\nBODY {mark}-BODY\n"

# Each feature changes a case; all of them are independent of each other.
def home_agents(case):
    case["files"][".omp/agent/AGENTS.md"] = "Home says M-HOME.\n"


def project_agents(case):
    case["files"]["work/AGENTS.md"] = "Project says M-PROJECT.\n"


def deeper(case):
    """Work in a package of the repository."""
    case["cwd"] = "work/package"
    case["files"]["work/package/AGENTS.md"] = "Package says M-PACKAGE.\n"
    case["files"]["work/AGENTS.md"] = "Project says M-PROJECT.\n"


def claude(case):
    case["files"]["work/.claude/CLAUDE.md"] = "Claude says M-CLAUDE.\n"


def project_skill(case):
    case["files"]["work/.omp/skills/one/SKILL.md"] = SKILL.format(name="one", mark="M-SKILL")


def home_skill(case):
    case["files"][".omp/agent/skills/two/SKILL.md"] = SKILL.format(name="two", mark="M-HOMESKILL")


def standing_rule(case):
    case["files"]["work/.omp/rules/always.md"] = "---\nalwaysApply: true\n---\nAlways M-ALWAYS.\n"


def rule_on_demand(case):
    case["files"]["work/.omp/rules/sometimes.md"] = "---\ndescription: when M-SOMETIMES\n---\nThen M-SOMETIMES-BODY.\n"


def system_file(case):
    case["files"][".omp/agent/SYSTEM.md"] = "My own system M-SYSTEM.\n"


def append_file(case):
    case["files"][".omp/agent/APPEND_SYSTEM.md"] = "At the end M-APPEND.\n"


def system_flag(case):
    case["arguments"] += ["--system-prompt", "By flag M-FLAG."]


def append_flag(case):
    case["arguments"] += ["--append-system-prompt", "By flag M-APPENDFLAG."]


def command(case):
    case["files"]["work/.omp/commands/greet.md"] = "---\ndescription: greets\n---\nGreet $1 M-COMMAND.\n"
    case["prompts"] = ["/greet Ada"]


def template(case):
    case["files"][".omp/agent/prompts/wave.md"] = "---\ndescription: waves\n---\nWave to $ARGUMENTS M-TEMPLATE.\n"
    case["prompts"] = ["/wave Ada and Bob"]


def attachment(case):
    case["files"]["work/note.txt"] = "A note M-NOTE.\n"
    case["files"]["work/package/note.txt"] = "A note M-NOTE.\n"
    case["prompts"] = ["@note.txt", *case["prompts"]]


def no_reasoning(case):
    case["model"]["reasoning"] = False


def small_answers(case):
    case["model"]["maxTokens"] = 2000


def low(case):
    case["arguments"] += ["--thinking", "low"]


def no_thinking(case):
    case["arguments"] += ["--thinking", "off"]


def default_level(case):
    case["settings"]["defaultThinkingLevel"] = "medium"


def no_tools(case):
    case["arguments"] += ["--no-tools"]


def few_tools(case):
    case["arguments"] += ["--tools", "read,bash,write"]


def no_skills(case):
    case["arguments"] += ["--no-skills"]


def no_rules(case):
    case["arguments"] += ["--no-rules"]


def headers(case):
    case["provider"]["headers"] = {"x-team": "blue"}
    case["model"]["headers"] = {"x-model": "green"}


def tokens_field(case):
    case["model"]["compat"] = {"maxTokensField": "max_tokens"}


def two_prompts(case):
    case["prompts"] = [*case["prompts"], "And then M-SECOND."]


FEATURES = [home_agents, project_agents, deeper, claude, project_skill, home_skill, standing_rule, rule_on_demand, system_file, append_file,
            system_flag, append_flag, command, template, attachment, no_reasoning, small_answers, low, no_thinking, default_level, no_tools,
            few_tools, no_skills, no_rules, headers, tokens_field, two_prompts]
# What every run looks at, before the random ones.
FIRST = [
    [],
    [home_agents, project_agents, deeper, project_skill, home_skill, standing_rule, rule_on_demand, append_file, headers],
    [command, no_reasoning, small_answers, system_file, claude],
    [attachment, few_tools, low, append_flag],
]
# Only one of each can be meant.
EXCLUSIVE = [{low, no_thinking}, {no_tools, few_tools}, {command, template}]


def made(features):
    case = {"name": " ".join(feature.__name__ for feature in features) or "plain", "files": {}, "model": {}, "provider": {}, "settings": {},
            "arguments": [], "prompts": ["What is M-PROMPT?"]}
    for feature in features:
        feature(case)
    case["arguments"] = case["arguments"] + case["prompts"]
    return case


def cases(source, count):
    """The first cases are the same for all seeds."""
    chosen = FIRST[:count]
    while len(chosen) < count:
        some = source.sample(FEATURES, source.randint(2, 9))
        some.sort(key=FEATURES.index)
        if all(len(pair & set(some)) < 2 for pair in EXCLUSIVE):
            chosen.append(some)
    return [made(features) for features in chosen]


def marks(text):
    """The words in the order in which they are first said."""
    return list(dict.fromkeys(MARK.findall(text)))
