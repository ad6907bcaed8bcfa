//! Commands for which the model has a better tool: refused, with the name of that tool.

use fancy_regex::Regex;
use omp_agent::ToolError;

use omp_guard::command_text::written_files;

/// What the user wants of interception: the settings `bashInterceptor.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Interception {
    #[default]
    Off,
    /// With the user's own rules, which come before ours.
    On(Vec<InterceptRule>),
}

/// A command that has a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterceptRule {
    /// A regular expression for the command.
    pub pattern: String,
    /// Letters that change its meaning: `i`, `m`, `s`, `x`.
    pub flags: String,
    /// The tool to use instead. Without it the command is allowed.
    pub tool: String,
    pub message: String,
}

/// Pattern, tool, message. All of them look at the start of a command: what reads from a pipe is left alone.
const RULES: &[(&str, &str, &str)] = &[
    (
        r"^\s*(?:cat|head|tail|less|more)\s+(?!<<|>|-[fF]\b|--follow)",
        "read",
        "use the `read` tool to read files.",
    ),
    (r"^\s*(?:grep|egrep|fgrep|rg|ag|ack)\s", "search", "use the `search` tool to search file contents."),
    (
        r"(?s)^\s*(?:find\s(?!.*\s-(?:exec|execdir|ok|delete)\b).*-(?:i?name|i?path|i?regex|type)\b|(?:fd|fdfind)\s)",
        "find",
        "use the `find` tool to find files by name.",
    ),
    (
        r"(?s)^\s*(?:sed\s(?:.*\s)?(?:-[nErsz]*i|--in-place)|perl\s(?:.*\s)?-[0a-hj-zA-Z]*i|g?awk\s(?:.*\s)?-i\s*inplace\b)",
        "edit",
        "use the `edit` tool to edit files in place.",
    ),
];

/// Commands that write a file by redirection.
const WRITERS: &str = r"^\s*(?:echo|printf|cat\s*<<|cat\s*>)";
const WRITE_MESSAGE: &str = "use the `write` tool to write files.";

/// Refuses a command for which one of `tools` is better. `command` is what was asked for, `cleaned` what would run.
pub(super) fn check(
    wish: &Interception,
    tools: &[String],
    command: &str,
    cleaned: &str,
) -> Result<(), ToolError> {
    let Interception::On(own) = wish else { return Ok(()) };
    let own = own.iter().map(|rule| (expression(rule), rule.tool.as_str(), rule.message.as_str()));
    let ours = RULES.iter().map(|(pattern, tool, message)| (Regex::new(pattern).ok(), *tool, *message));
    let mut available = own.chain(ours).filter(|(_, tool, _)| tools.iter().any(|name| name == tool));
    let texts = [command, cleaned];
    let matches = |expression: &Regex| texts.iter().any(|text| expression.is_match(text).unwrap_or(false));
    let found = available.find(|(expression, ..)| expression.as_ref().is_some_and(&matches));
    let message = match found {
        Some((_, _, message)) => message,
        None if tools.iter().any(|name| name == "write") && texts.iter().any(|text| writes(text)) => {
            WRITE_MESSAGE
        }
        None => return Ok(()),
    };
    Err(ToolError::new(format!("Blocked: {message}\n\nOriginal command: {command}")))
}

/// `None` for what is not a regular expression: such a rule never matches.
fn expression(rule: &InterceptRule) -> Option<Regex> {
    let flags: String = rule.flags.chars().filter(|flag| "imsx".contains(*flag)).collect();
    let pattern = if flags.is_empty() { rule.pattern.clone() } else { format!("(?{flags}){}", rule.pattern) };
    Regex::new(&pattern).ok()
}

fn writes(command: &str) -> bool {
    let is_writer = Regex::new(WRITERS).is_ok_and(|writer| writer.is_match(command).unwrap_or(false));
    // The text of a here-document is not the command's; its first line is.
    let head = if command.contains("<<") { command.lines().next().unwrap_or_default() } else { command };
    is_writer && !written_files(&head.replace("<<<", " ").replace("<<-", " ").replace("<<", " ")).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked(tools: &[&str], command: &str) -> bool {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        check(&Interception::On(Vec::new()), &tools, command, command).is_err()
    }

    #[test]
    fn each_class_has_its_tool() {
        for (tool, commands) in [
            ("read", &["cat f", "  head -5 f", "tail -n 3 f", "less f", "more f"][..]),
            ("search", &["grep x f", "rg x", "ag x", "ack x", "egrep -r x ."]),
            ("find", &["find . -name '*.rs'", "find / -type f", "fd x", "fd -e rs"]),
            (
                "edit",
                &[
                    "sed -i s/a/b/ f",
                    "sed -Ei 's/a/b/' f",
                    "sed --in-place s/a/b/ f",
                    "perl -pi -e x f",
                    "awk -i inplace x f",
                ],
            ),
            ("write", &["echo a > f", "printf x >>f", "cat <<E > f\na\nE", "cat > f <<'E'\na\nE", "cat >f"]),
        ] {
            for command in commands {
                assert!(blocked(&[tool], command), "{command}");
                assert!(!blocked(&["bash"], command), "{command} without its tool");
            }
        }
    }

    #[test]
    fn what_has_no_better_tool_is_allowed() {
        let all = ["read", "search", "find", "edit", "write"];
        for command in [
            "make | grep err",
            "ls | head -3",
            "catalog x",
            "cat <<E\na > b\nE",
            "tail -f log",
            "find . -name x -delete",
            "find . -name x -exec rm {} +",
            "find .",
            "sed -n 1p f",
            "perl -e 'print 1'",
            "awk '{print $1}' f",
            "echo \"a -> b\"",
            "echo x >/dev/null",
            "echo x 2>&1",
            "echo x >&2",
            "echo x 2>/dev/stderr",
            "printf '%s > f' x",
            "git grep x",
        ] {
            assert!(!blocked(&all, command), "{command}");
        }
    }
}
