//! What the built-in commands are about, for lists that are read by people.

/// The topics in their order, each with its commands in theirs. The first command of all is what Enter runs in a list where
/// nothing was typed yet, so it is one that only asks.
const TOPICS: &[(&str, &[&str])] = &[
    ("Model", &["model", "switch", "fast", "fresh", "force", "login", "logout", "provider", "usage"]),
    ("Conversation", &["new", "clear", "resume", "retry", "queue", "btw", "rewind", "redo", "copy", "exit"]),
    ("Sessions", &["session", "rename", "tree", "branch", "fork", "move", "export", "dump", "share", "drop"]),
    ("Context", &["context", "compact", "shake", "handoff", "cache", "stats"]),
    ("Work", &["plan", "plan-review", "goal", "guided-goal", "loop", "todo", "jobs"]),
    ("Permissions", &["approval", "permissions", "sandbox", "trust", "add-dir", "dirs", "remove-dir"]),
    (
        "Setup",
        &[
            "settings",
            "setup",
            "theme",
            "hotkeys",
            "tools",
            "extensions",
            "hooks",
            "mcp",
            "plugins",
            "marketplace",
            "reload-plugins",
            "ssh",
        ],
    ),
    ("Help", &["help", "changelog", "debug"]),
];

/// The topic of commands that users and projects bring along.
pub const OWN_TOPIC: &str = "Skills and commands of your own";

/// Where a built-in command stands in lists: its topic, and a number that sorts by topic and place.
pub fn topic_of(name: &str) -> Option<(&'static str, usize)> {
    let all = TOPICS.iter().flat_map(|(topic, names)| names.iter().map(move |name| (*topic, *name)));
    all.enumerate().find(|(_, (_, known))| *known == name).map(|(place, (topic, _))| (topic, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::BUILTINS;

    #[test]
    fn every_command_has_one_topic() {
        for command in BUILTINS.iter().filter(|command| command.is_available()) {
            let times = TOPICS.iter().flat_map(|(_, names)| *names).filter(|name| **name == command.name);
            assert_eq!(times.count(), 1, "/{}", command.name);
        }
        for name in TOPICS.iter().flat_map(|(_, names)| *names) {
            let known = BUILTINS.iter().any(|command| command.name == *name && command.is_available());
            assert!(known, "/{name} is not a command");
        }
    }
}
