//! Every command, sorted by name.

use super::{Command, Flag, Kind, Positional, sessions};
use crate::words::{CompletionSource, ModelsAction, Shell};

const SCOPES: Kind = Kind::OneOf(&["user", "project"]);
pub(super) const JSON: Flag = Flag::switch("json", "Print one JSON document");
const JSON_J: Flag = JSON.short('j');
pub(super) const DRY_RUN: Flag = Flag::switch("dry-run", "Change nothing, say what would happen");
const FORCE: Flag = Flag::switch("force", "Replace what is there");
const BIND: Flag = Flag::value("bind", Kind::Text, "Address to listen on").metavar("host:port");
const REGENERATE: Flag = Flag::switch("regenerate", "Make a new token; the old one stops working");

/// Providers that `omp setup provider` can describe.
const PROVIDER_PRESETS: &[&str] = &["minimax", "minimax-cn", "glm", "zai", "z-ai"];

pub static COMMANDS: &[Command] = &[
    Command::new("__complete", "Print completion candidates for a shell script")
        .args(&[
            Positional::optional("source", Kind::Suggested(CompletionSource::WORDS), "What to list"),
            Positional::any("prefix", Kind::Text, "What is typed so far"),
        ])
        .hidden(),
    Command::new("acp", "Serve an editor over the Agent Client Protocol on standard input and output")
        .launch_flags()
        .examples(&["omp acp", "omp acp --model opus"])
        .waits_for("acp"),
    Command::new("agents", "Write the bundled sub-agents to files that can be edited")
        .args(&[Positional::one("action", Kind::OneOf(&["unpack"]), "What to do")])
        .flags(&[
            Flag::switch("user", "Write to the user's agents (the default)"),
            Flag::switch("project", "Write to the agents of this project"),
            Flag::value("dir", Kind::Dir, "Write to this directory"),
            FORCE.short('f'),
            JSON,
        ])
        .examples(&["omp agents unpack --project"])
        .waits_for("sub-agents"),
    Command::new("auth-broker", "Keep credentials in one place and lend them to other machines")
        .args(&[
            Positional::one(
                "action",
                Kind::OneOf(&["serve", "token", "login", "logout", "list", "import", "migrate", "status"]),
                "What to do",
            ),
            Positional::optional("target", Kind::Text, "Provider of login and logout, path of import"),
        ])
        .flags(&[
            BIND,
            REGENERATE,
            Flag::value("via", Kind::Text, "Log in on this host over ssh").metavar("user@host"),
            Flag::value("provider", Kind::Text, "Provider that imported files belong to").metavar("id"),
            Flag::switch("include-disabled", "Also import files marked as disabled"),
            Flag::switch("from-local", "Upload the credentials of this machine"),
            Flag::switch("include-oauth", "Upload OAuth credentials too"),
            Flag::switch("include-env", "Upload keys from the environment too"),
            DRY_RUN,
            JSON,
        ])
        .examples(&[
            "omp auth-broker serve --bind=127.0.0.1:8765",
            "omp auth-broker login anthropic --via=me@server",
        ])
        .waits_for("the auth broker"),
    Command::new("auth-gateway", "Serve provider APIs locally with the broker's credentials")
        .args(&[Positional::one("action", Kind::OneOf(&["serve", "token", "status", "check"]), "What to do")])
        .flags(&[
            BIND,
            Flag::switch("no-auth", "Answer without asking for the bearer token"),
            REGENERATE,
            Flag::switch("strict", "Check each credential with a tiny completion"),
            JSON,
        ])
        .examples(&["omp auth-gateway serve", "omp auth-gateway check --strict"])
        .waits_for("the auth gateway"),
    Command::new("bench", "Measure time to the first token and tokens per second of models")
        .args(&[Positional::some("models", Kind::Model, "Models to measure")])
        .flags(&[
            Flag::value("runs", Kind::Integer, "Answers per model (3)"),
            Flag::value("max-tokens", Kind::Integer, "Longest answer (512)"),
            Flag::value("prompt", Kind::Text, "What to ask"),
            JSON,
        ])
        .details("Every answer is a real request, and costs what such a request costs.")
        .examples(&["omp bench opus gpt --runs 5"]),
    Command::new("commit", "Write a conventional commit for the changes in this repository")
        .details(
            "Stages everything when nothing is staged. The model of the role commit writes the message, and lines for \
             every CHANGELOG.md that has an unreleased section. Hooks run as usual; if the commit is not made, index and \
             changelogs are as they were.",
        )
        .flags(&[
            Flag::switch("push", "Push afterwards"),
            DRY_RUN,
            Flag::switch("no-changelog", "Leave changelogs alone"),
            Flag::switch("legacy", "Use one request instead of an agent"),
            Flag::value("context", Kind::Text, "More for the model to know").short('c'),
            Flag::value("model", Kind::Model, "Model to use").short('m'),
        ])
        .examples(&["omp commit --dry-run", "omp commit --push -c \"closes #12\""]),
    Command::new("completions", "Print a completion script for a shell")
        .args(&[Positional::one("shell", Kind::OneOf(Shell::WORDS), "Shell to complete in")])
        .examples(&[
            "source <(omp completions bash)",
            "source <(omp completions zsh)",
            "omp completions fish > ~/.config/fish/completions/omp.fish",
        ]),
    Command::new("config", "Show and change settings")
        .args(&[
            Positional::optional(
                "action",
                Kind::OneOf(&["list", "get", "set", "reset", "path", "sources", "init-xdg"]),
                "What to do",
            ),
            Positional::optional("key", Kind::Setting, "Name of the setting"),
            Positional::any("value", Kind::Text, "Its new value; several words are one text"),
        ])
        .flags(&[
            JSON,
            Flag::value("config", Kind::File, "Settings file over all others (repeatable)").many(),
        ])
        .examples(&[
            "omp config list",
            "omp config get theme.dark",
            "omp config set tools.approvalMode write",
        ]),
    Command::new("dry-balance", "Show how sessions would spread over several accounts")
        .args(&[Positional::optional("model", Kind::Model, "Model to choose accounts for")])
        .flags(&[
            Flag::value("count", Kind::Integer, "Sessions to simulate"),
            Flag::value("concurrency", Kind::Integer, "Requests at a time"),
            Flag::switch("bench", "Make real requests and time them"),
            JSON,
        ])
        .examples(&["omp dry-balance opus --count 20"])
        .waits_for("a balance over accounts"),
    sessions::DU,
    Command::new("gallery", "Draw every tool view in each of its states")
        .flags(&[
            Flag::value("tool", Kind::Text, "Only this tool").short('t'),
            Flag::value("state", Kind::Text, "Only this state").short('s'),
            Flag::value("width", Kind::Integer, "Columns to draw in").short('w'),
            Flag::switch("expanded", "Draw the expanded form").short('e'),
            Flag::switch("plain", "No colours"),
        ])
        .examples(&["omp gallery -t bash -w 80"]),
    sessions::GC,
    Command::new("grep", "Search files the way the search tool does")
        .args(&[
            Positional::one("pattern", Kind::Text, "Regular expression"),
            Positional::optional("path", Kind::File, "File or directory to search"),
        ])
        .flags(&[
            Flag::value("glob", Kind::Text, "Only files that match").short('g'),
            Flag::value("limit", Kind::Integer, "Most matches to print (20)").short('l'),
            Flag::value("context", Kind::Integer, "Lines around a match (2)").short('C'),
            Flag::switch("files", "Print file names only").short('f'),
            Flag::switch("count", "Print counts only").short('c'),
            Flag::switch("no-gitignore", "Search ignored files too"),
        ])
        .examples(&["omp grep 'fn main' src -g '*.rs'"]),
    Command::new("grievances", "Show what models complained about in tools")
        .details("Nothing leaves this machine without consent.")
        .args(&[Positional::optional("action", Kind::OneOf(&["list", "clean", "push"]), "What to do")])
        .flags(&[
            Flag::value("limit", Kind::Integer, "Most rows to print (20)").short('n'),
            Flag::value("tool", Kind::Text, "Only this tool").short('t'),
            Flag::value("id", Kind::Integer, "Only this row"),
            Flag::switch("all", "Every row"),
            JSON_J,
        ])
        .examples(&["omp grievances -n 5"])
        .waits_for("tool reports"),
    Command::new("help", "Show help for omp or for a command")
        .args(&[Positional::optional("command", Kind::Text, "Command to explain")])
        .examples(&["omp help", "omp help completions"]),
    sessions::HISTORY,
    Command::new("install", "Install plugins from a path, a marketplace, git or a registry")
        .args(&[Positional::some("targets", Kind::File, "Paths are linked, everything else is installed")])
        .flags(&[FORCE, DRY_RUN, Flag::value("scope", SCOPES, "Where to install").metavar("scope"), JSON])
        .examples(&["omp install ./my-plugin", "omp install review@team --scope project"])
        .waits_for("plugins"),
    Command::new("join", "Join a shared session")
        .args(&[Positional::one("link", Kind::Text, "Link from the host of the session")])
        .examples(&["omp join \"<link>\""])
        .waits_for("shared sessions"),
    Command::new("keys", "Show what the terminal sends for each key").examples(&["omp keys"]),
    Command::new("launch", "Start a session; what omp does without a command")
        .args(&[Positional::any("messages", Kind::File, "Prompts, and @path for files to attach")])
        .launch_flags()
        .examples(&["omp launch \"fix the build\"", "omp launch -p -- --not-a-flag"]),
    Command::new("login", "Log in to a provider")
        .args(&[Positional::optional("provider", Kind::Text, "Provider; choose from a list without it")])
        .flags(&[Flag::switch("with-key", "Store an API key, typed unseen or from standard input")])
        .examples(&["omp login anthropic", "omp login anthropic --with-key < key.txt"]),
    Command::new("logout", "Forget the credentials of a provider")
        .args(&[Positional::optional("provider", Kind::Text, "Provider; choose from a list without it")])
        .examples(&["omp logout anthropic"]),
    Command::new("models", "List the models that can be used")
        .args(&[
            Positional::optional(
                "action",
                Kind::Suggested(ModelsAction::WORDS),
                "list (the default), find, canonical, profiles or refresh; anything else is a pattern",
            ),
            Positional::optional("pattern", Kind::Text, "Part of a provider or model name"),
        ])
        .flags(&[JSON])
        .examples(&["omp models", "omp models anthropic", "omp models find opus --json"]),
    Command::new("permissions", "List, explain, test and remove rules for commands")
        .args(&[
            Positional::optional(
                "action",
                Kind::OneOf(&["list", "explain", "test", "remove"]),
                "What to do (list)",
            ),
            Positional::optional("text", Kind::Text, "A command to explain or test, or a rule to remove"),
        ])
        .flags(&[JSON])
        .details("`test` exits with 1 if the command would be asked about.")
        .examples(&[
            "omp permissions",
            "omp permissions explain \"git diff --output=x\"",
            "omp permissions test \"git status\"",
            "omp permissions remove \"git status *\"",
        ]),
    Command::new("plugin", "Manage plugins and marketplaces")
        .args(&[
            Positional::one(
                "action",
                Kind::OneOf(&[
                    "list",
                    "install",
                    "link",
                    "uninstall",
                    "enable",
                    "disable",
                    "upgrade",
                    "discover",
                    "features",
                    "config",
                    "marketplace",
                    "doctor",
                ]),
                "What to do",
            ),
            Positional::any("args", Kind::File, "Plugins, marketplaces, or what else the action needs"),
        ])
        .flags(&[
            FORCE,
            DRY_RUN,
            Flag::value("scope", SCOPES, "Which installation is meant").metavar("scope"),
            Flag::value("enable", Kind::TextList, "Features to turn on").metavar("features"),
            Flag::value("disable", Kind::TextList, "Features to turn off").metavar("features"),
            Flag::value("set", Kind::TextList, "Exactly these features").metavar("features"),
            Flag::switch("fix", "Repair what doctor finds"),
            JSON,
        ])
        .examples(&["omp plugin marketplace add owner/repo", "omp plugin doctor --fix"])
        .waits_for("plugins"),
    Command::new("prompt", "Print the system prompt a session would start with")
        .flags(&[JSON])
        .examples(&["omp prompt", "omp prompt --json"]),
    Command::new("ps", "List running sessions and their background jobs")
        .flags(&[JSON])
        .examples(&["omp ps"])
        .waits_for("a list of running sessions"),
    Command::new("read", "Print what the read tool would give the model")
        .args(&[Positional::one("path", Kind::File, "Path, URL or internal URL, with selectors")])
        .examples(&["omp read src/main.rs:10-40", "omp read https://example.com", "omp read data.db:users"]),
    Command::new("replay", "Play a recorded session without network, and say where it differs")
        .args(&[Positional::one("file", Kind::File, "A file that `omp --record` wrote")])
        .flags(&[JSON])
        .examples(&["omp --record bug.jsonl", "omp replay bug.jsonl", "omp replay --json bug.jsonl"]),
    Command::new("sandbox", "Show the sandbox status, or run a command in the sandbox")
        .args(&[
            Positional::optional("action", Kind::OneOf(&["status", "run"]), "What to do (status)"),
            Positional::any("command", Kind::Text, "Command to run"),
        ])
        .flags(&[Flag::switch("plan", "As in plan mode: nothing can be written"), JSON])
        .examples(&["omp sandbox status", "omp sandbox run -- cargo test"]),
    Command::new("say", "Speak text aloud")
        .args(&[Positional::some("text", Kind::Text, "What to say")])
        .flags(&[
            Flag::value("voice", Kind::Text, "Voice to use").metavar("name"),
            Flag::value("model", Kind::Text, "Speech model to use").metavar("name"),
            Flag::value("output", Kind::File, "Write a WAV file instead").short('o'),
        ])
        .examples(&["omp say \"the build is green\" -o done.wav"])
        .waits_for("speech"),
    Command::new("search", "Search the web once and print the result")
        .alias(&["q"])
        .args(&[Positional::some("words", Kind::Text, "What to look for")])
        .flags(&[
            Flag::value("provider", Kind::Text, "Search provider to ask").metavar("name"),
            Flag::value("recency", Kind::OneOf(&["day", "week", "month", "year"]), "How old a result may be")
                .metavar("age"),
            Flag::value("limit", Kind::Integer, "Most results").short('l'),
            Flag::switch("compact", "Shorter output"),
        ])
        .examples(&["omp q rust 1.95 release notes --recency month"])
        .waits_for("web search"),
    sessions::SESSION,
    Command::new("setup", "Set omp up, or install an optional component")
        .args(&[Positional::optional(
            "component",
            Kind::OneOf(&["provider", "python", "speech"]),
            "Component to install, or provider to describe a model provider",
        )])
        .flags(&[
            Flag::value("preset", Kind::OneOf(PROVIDER_PRESETS), "Provider to write to models.yml")
                .metavar("name"),
            Flag::switch("check", "Only say whether it is installed").short('c'),
            JSON,
        ])
        .examples(&["omp setup provider --preset glm", "omp setup python --check"]),
    sessions::SHARE,
    Command::new("shell", "Open a console on the shell engine of the bash tool")
        .flags(&[
            Flag::value("cwd", Kind::Dir, "Start in this directory").short('C'),
            Flag::value("timeout", Kind::Integer, "Longest time per command").short('t').metavar("ms"),
            Flag::switch("no-snapshot", "Do not load the user's shell set-up"),
        ])
        .examples(&["omp shell -C src"]),
    Command::new("ssh", "Manage the hosts of the ssh tool")
        .args(&[
            Positional::one("action", Kind::OneOf(&["add", "list", "remove"]), "What to do"),
            Positional::optional("name", Kind::Text, "Name of the host"),
        ])
        .flags(&[
            Flag::value("host", Kind::Text, "Address").metavar("address"),
            Flag::value("user", Kind::Text, "User to log in as").metavar("name"),
            Flag::value("port", Kind::Integer, "Port, 1 to 65535"),
            Flag::value("key", Kind::File, "Private key"),
            Flag::value("desc", Kind::Text, "What the model should know about the host"),
            Flag::switch("compat", "Expect a host without a POSIX shell"),
            Flag::value("scope", SCOPES, "Which host list (project)").metavar("scope"),
            JSON,
        ])
        .examples(&["omp ssh add build --host 10.0.0.5 --user ci --port 2222"]),
    Command::new("stats", "Show requests, tokens and cost over all sessions")
        .flags(&[
            JSON_J,
            Flag::switch("summary", "Print a summary").short('s'),
            Flag::value("port", Kind::Integer, "Port of the dashboard (3847)").short('p'),
        ])
        .examples(&["omp stats --summary"]),
    Command::new("tiny-models", "Manage the models that run on this machine")
        .args(&[
            Positional::optional("action", Kind::OneOf(&["download", "list"]), "What to do"),
            Positional::optional("model", Kind::Text, "Model, or all"),
        ])
        .flags(&[JSON])
        .examples(&["omp tiny-models download all"])
        .waits_for("local models"),
    Command::new("token", "Print the key or access token of a provider")
        .args(&[Positional::one("provider", Kind::Text, "Provider")])
        .flags(&[
            Flag::switch("raw", "Print JSON credentials as they are stored"),
            Flag::switch("force-refresh", "Get a new access token first"),
        ])
        .examples(&["omp token anthropic"]),
    Command::new("trust", "What projects may run and read outside of themselves")
        .args(&[
            Positional::optional("action", Kind::OneOf(&["list", "show", "add", "revoke"]), "What to do (show)"),
            Positional::optional("directory", Kind::Dir, "The project (the current directory)"),
        ])
        .flags(&[JSON])
        .examples(&["omp trust show", "omp trust add", "omp trust list", "omp trust revoke ~/clone"]),
    Command::new("ttsr", "List and test stream rules")
        .args(&[
            Positional::optional("action", Kind::OneOf(&["list", "test"]), "What to do"),
            Positional::any("text", Kind::Text, "Text to test the rules on"),
        ])
        .flags(&[JSON])
        .examples(&["omp ttsr list"])
        .waits_for("stream rules"),
    Command::new("update", "Say how to update omp")
        .details("Updates come from the package manager that installed omp.")
        .examples(&["omp update"]),
    Command::new("usage", "Show the quota of each account")
        .flags(&[
            JSON_J,
            Flag::value("provider", Kind::Text, "Only this provider").short('p').metavar("name"),
            Flag::switch("redact", "Shorten account names").short('r'),
            Flag::switch("history", "Show past use"),
            Flag::value("days", Kind::Integer, "Days of history (7)").short('d'),
        ])
        .details("Asks Anthropic, ChatGPT and Kimi for each account that is logged in, and remembers the answers.")
        .examples(&["omp usage --redact", "omp usage --history -d 30"]),
    Command::new("worktree", "List and clear the worktrees that agents made")
        .alias(&["wt"])
        .args(&[Positional::optional("action", Kind::OneOf(&["list", "clear"]), "What to do")])
        .flags(&[Flag::switch("all", "Also those still in use"), DRY_RUN.short('n'), JSON_J])
        .examples(&["omp wt", "omp wt clear --dry-run"])
        .waits_for("worktrees"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
    }
}
