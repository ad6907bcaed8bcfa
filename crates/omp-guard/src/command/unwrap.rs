//! Programs that only run other programs, and texts that are programs.

use super::word::Text;

/// What is left of a command without its wrappers.
pub(super) struct Unwrapped {
    pub(super) words: Vec<Text>,
    /// A text that a shell runs.
    pub(super) text: Option<Text>,
}

/// How a wrapper's own arguments are told from the program it runs.
struct Wrapper {
    names: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Arguments before the program.
    positional: usize,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo"],
        valued: &[
            "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--chdir",
        ],
        positional: 0,
    },
    Wrapper { names: &["doas"], valued: &["-u", "-C"], positional: 0 },
    Wrapper { names: &["env"], valued: &["-u", "--unset", "-C", "--chdir"], positional: 0 },
    Wrapper {
        names: &["xargs"],
        valued: &[
            "-I",
            "-i",
            "-n",
            "-P",
            "-L",
            "-d",
            "-E",
            "-s",
            "-a",
            "--max-args",
            "--max-procs",
            "--delimiter",
        ],
        positional: 0,
    },
    Wrapper { names: &["nice"], valued: &["-n", "--adjustment"], positional: 0 },
    Wrapper { names: &["ionice"], valued: &["-c", "-n", "-p"], positional: 0 },
    Wrapper { names: &["timeout"], valued: &["-s", "--signal", "-k", "--kill-after"], positional: 1 },
    Wrapper { names: &["stdbuf"], valued: &["-i", "-o", "-e"], positional: 0 },
    Wrapper { names: &["flock"], valued: &["-w", "--timeout", "-E"], positional: 1 },
    Wrapper { names: &["chroot"], valued: &["--userspec", "--groups"], positional: 1 },
    Wrapper { names: &["exec"], valued: &["-a"], positional: 0 },
    Wrapper { names: &["time"], valued: &["-f", "-o", "--format", "--output"], positional: 0 },
    Wrapper {
        names: &[
            "nohup",
            "setsid",
            "command",
            "builtin",
            "busybox",
            "unbuffer",
            "caffeinate",
            "parallel",
            "coproc",
            "then",
            "do",
            "else",
        ],
        valued: &[],
        positional: 0,
    },
];

/// Shells whose `-c` takes a text.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"];

/// Takes wrappers away, one after the other.
pub(super) fn unwrap(words: &[Text]) -> Unwrapped {
    let mut words = words.to_vec();
    while let Some(program) = words.first().and_then(Text::known) {
        let name = program.rsplit('/').next().unwrap_or_default();
        if let Some(text) = text_of(name, &words) {
            return Unwrapped { words, text: Some(text) };
        }
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else { break };
        // These put words of their own behind the command's.
        let more = matches!(name, "xargs" | "parallel").then(Text::something);
        match inside(wrapper, &words[1..]) {
            [] => break,
            inner => words = inner.iter().cloned().chain(more).collect(),
        }
    }
    Unwrapped { words, text: None }
}

/// What follows a wrapper's own arguments.
fn inside<'w>(wrapper: &Wrapper, mut rest: &'w [Text]) -> &'w [Text] {
    let mut positional = wrapper.positional;
    while let [first, after @ ..] = rest {
        let word = first.value();
        if word == "--" {
            return after.get(positional..).unwrap_or_default();
        }
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        rest = if wrapper.valued.contains(&word) {
            after.get(1..).unwrap_or_default()
        } else if word.starts_with('-') || (assigns && matches!(wrapper.names, ["env"] | ["sudo"] | ["doas"]))
        {
            after
        } else if positional > 0 {
            positional -= 1;
            after
        } else {
            return rest;
        };
    }
    rest
}

/// The text that this program runs as a command.
fn text_of(name: &str, words: &[Text]) -> Option<Text> {
    let arguments = &words[1..];
    match name {
        "eval" => joined(arguments),
        "su" | "script" | "watch" => after_option(arguments, |word| matches!(word, "-c" | "--command"))
            .or_else(|| joined(arguments).filter(|_| name == "watch")),
        "env" => split_string(arguments),
        "trap" => arguments.iter().find(|word| word.value() != "--").filter(|_| arguments.len() > 1).cloned(),
        name if SHELLS.contains(&name) => {
            let flag = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
            after_option(arguments, flag)
        }
        _ => None,
    }
}

/// The text of `-S` in all its forms, with the words behind it.
fn split_string(arguments: &[Text]) -> Option<Text> {
    let at = arguments.iter().position(|word| {
        let value = word.value();
        value.starts_with("-S") || value.starts_with("-vS") || value.starts_with("--split-string")
    })?;
    let first = arguments[at].value();
    let attached = ["--split-string=", "-vS", "-S"].iter().find_map(|option| first.strip_prefix(option));
    let texts = attached.filter(|text| !text.is_empty() && !text.starts_with("--")).into_iter();
    let texts: Vec<&str> = texts.chain(arguments[at + 1..].iter().map(Text::value)).collect();
    (!texts.is_empty()).then(|| Text::literal(&texts.join(" ")))
}

fn after_option(arguments: &[Text], is_option: impl Fn(&str) -> bool) -> Option<Text> {
    let at = arguments.iter().position(|word| word.known().is_some_and(&is_option))?;
    arguments.get(at + 1).cloned()
}

/// Words as one text, as `eval` reads them.
fn joined(arguments: &[Text]) -> Option<Text> {
    let words: Vec<&Text> = arguments.iter().skip_while(|word| word.value().starts_with('-')).collect();
    let texts: Vec<&str> = words.iter().map(|word| word.value()).collect();
    let fetched = words.iter().any(|word| word.fetched);
    (!texts.is_empty()).then(|| Text::literal(&texts.join(" ")).with_fetched(fetched))
}
