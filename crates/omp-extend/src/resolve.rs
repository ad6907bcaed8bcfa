//! What a line that begins with `/` means.

/// The kinds of commands, in the order in which they are asked for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandKind {
    Builtin,
    Skill,
    Extension,
    Code,
    McpPrompt,
    Markdown,
    Template,
}

const ORDER: [CommandKind; 7] = [
    CommandKind::Builtin,
    CommandKind::Skill,
    CommandKind::Extension,
    CommandKind::Code,
    CommandKind::McpPrompt,
    CommandKind::Markdown,
    CommandKind::Template,
];

/// What a line would mean to one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    pub kind: CommandKind,
    /// Without the slash; for a skill without `skill:`.
    pub name: &'a str,
    /// What follows the name, without blanks around it.
    pub arguments: &'a str,
}

/// The command that `text` calls, or nothing if it is plain text for the model.
///
/// `accepts` says whether a kind knows such a command; it sees the arguments, since some commands take none.
pub fn resolve<'a>(text: &'a str, accepts: impl Fn(&Call<'a>) -> bool) -> Option<Call<'a>> {
    ORDER.into_iter().filter_map(|kind| call(text, kind)).find(accepts)
}

/// Reads `text` as a call of one kind.
pub fn call(text: &str, kind: CommandKind) -> Option<Call<'_>> {
    let line = text.strip_prefix('/')?;
    let (name, arguments) = match kind {
        CommandKind::Builtin => split(line, |letter| letter.is_whitespace() || letter == ':'),
        _ => split(line, |letter| letter == ' '),
    };
    let name = if kind == CommandKind::Skill { name.strip_prefix("skill:")? } else { name };
    (!name.is_empty()).then_some(Call { kind, name, arguments: arguments.trim() })
}

/// Does `text` begin like a command?
pub fn is_call(text: &str) -> bool {
    text.starts_with('/')
}

fn split(line: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    match line.find(ends) {
        Some(end) => (&line[..end], line[end..].strip_prefix(':').unwrap_or(&line[end..])),
        None => (line, ""),
    }
}

/// Whether a built-in command takes every call of `name`, so that a file of that name can never be meant.
pub fn is_reserved(name: &str, is_builtin: impl Fn(&str) -> bool) -> bool {
    let (head, _) = split(name, |letter| letter.is_whitespace() || letter == ':');
    is_builtin(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builtin(text: &str) -> Option<(&str, &str)> {
        call(text, CommandKind::Builtin).map(|call| (call.name, call.arguments))
    }

    fn markdown(text: &str) -> Option<(&str, &str)> {
        call(text, CommandKind::Markdown).map(|call| (call.name, call.arguments))
    }

    // proves: CLI-150
    #[test]
    fn names_end_where_their_kind_says() {
        assert_eq!(builtin("/model opus"), Some(("model", "opus")));
        assert_eq!(builtin("/model:opus"), Some(("model", "opus")));
        assert_eq!(builtin("/model\topus 4"), Some(("model", "opus 4")));
        assert_eq!(builtin("/model\nopus"), Some(("model", "opus")));
        assert_eq!(builtin("/model"), Some(("model", "")));
        assert_eq!(markdown("/plugin:cmd a b"), Some(("plugin:cmd", "a b")));
        assert_eq!(markdown("/cmd\tx y"), Some(("cmd\tx", "y")));
        assert_eq!(markdown("/cmd  x "), Some(("cmd", "x")));
        for text in ["model", " /model", "/", "/ model", "/:x", ""] {
            assert_eq!(builtin(text), None, "{text:?}");
        }
    }

    #[test]
    fn arguments_keep_their_colons() {
        assert_eq!(builtin("/model openai:gpt"), Some(("model", "openai:gpt")));
        assert_eq!(markdown("/cmd :x"), Some(("cmd", ":x")));
    }

    #[test]
    fn the_first_kind_that_knows_the_name_gets_the_call() {
        let text = "/x y";
        for (from, kind) in ORDER.into_iter().enumerate().filter(|(_, kind)| *kind != CommandKind::Skill) {
            let call = resolve(text, |call| ORDER[from..].contains(&call.kind)).expect("a call");
            assert_eq!(call, Call { kind, name: "x", arguments: "y" });
        }
        assert_eq!(resolve(text, |_| false), None);
    }

    #[test]
    fn a_skill_comes_after_built_ins_and_before_the_rest() {
        let call = resolve("/skill:pdf page 3", |call| call.kind != CommandKind::Builtin).expect("a call");
        assert_eq!(call, Call { kind: CommandKind::Skill, name: "pdf", arguments: "page 3" });
        let call = resolve("/skill:pdf page 3", |call| call.kind == CommandKind::Markdown).expect("a call");
        assert_eq!(call.name, "skill:pdf");
        let call = resolve("/skill:pdf", |_| true).expect("a call");
        assert_eq!((call.kind, call.name, call.arguments), (CommandKind::Builtin, "skill", "pdf"));
    }

    #[test]
    fn a_kind_may_refuse_because_of_the_arguments() {
        let no_arguments = |call: &Call| call.kind == CommandKind::Builtin && call.arguments.is_empty();
        assert!(resolve("/hotkeys", no_arguments).is_some());
        assert_eq!(resolve("/hotkeys foo", no_arguments), None);
    }

    #[test]
    fn names_of_built_ins_are_reserved() {
        let known = |name: &str| name == "model";
        assert!(is_reserved("model", known));
        assert!(is_reserved("model:fast", known));
        assert!(!is_reserved("models", known));
        assert!(!is_reserved("team:model", known));
    }
}
