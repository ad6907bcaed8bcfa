//! The fish script: one rule whose candidates a function computes, so that fish and the other shells
//! follow the same walk. It uses fish's own `__fish_complete_path` for files.

use std::fmt::Write as _;

use super::{commands, described, flags, names, positions, source_of, table_of, tables};

pub(super) fn script() -> String {
    format!("{HEAD}\n{}\n{}\n{}\n{}\n{BODY}", command_table(), flag_table(), value_table(), argument_table())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

fn command_table() -> String {
    let mut text = String::from("function __omp_commands\n    printf '%s\\t%s\\n' \\\n");
    let entries: Vec<String> = commands()
        .flat_map(|command| names(command).map(move |name| (name, command)))
        .map(|(name, command)| {
            let help = described(command.summary, command.waits_for);
            format!("        {} {}", quoted(name), quoted(&help))
        })
        .collect();
    text.push_str(&entries.join(" \\\n"));
    text.push_str("\nend\n\n# Prints the table that a command completes from; fails for other words.\n");
    text.push_str("function __omp_command --argument-names word\n    switch $word\n");
    for command in commands() {
        let names: Vec<String> = names(command).map(quoted).collect();
        let _ = writeln!(text, "        case {}\n            echo {}", names.join(" "), table_of(command));
    }
    text.push_str("        case '*'\n            return 1\n    end\nend\n");
    text
}

fn flag_table() -> String {
    let mut text = String::from(
        "# Prints the flags of a table with explanations.\n\
         function __omp_flags --argument-names table\n    switch $table\n",
    );
    for command in tables() {
        let _ = write!(text, "        case {}\n            printf '%s\\t%s\\n'", command.name);
        for flag in flags(command) {
            let help = quoted(&described(flag.help, flag.waits_for));
            for spelled in flag.spellings() {
                let _ = write!(text, " \\\n                {} {help}", quoted(&spelled));
            }
        }
        text.push('\n');
    }
    text.push_str("    end\nend\n");
    text
}

fn value_table() -> String {
    let mut text = String::from(
        "# Prints what a flag of a table takes, nothing for a switch; fails for unknown flags.\n\
         function __omp_kind --argument-names table flag\n    switch \"$table $flag\"\n",
    );
    for command in tables() {
        for flag in flags(command) {
            let Some(source) = source_of(flag) else { continue };
            let patterns: Vec<String> =
                flag.spellings().map(|spelled| quoted(&format!("{} {spelled}", command.name))).collect();
            let _ =
                writeln!(text, "        case {}\n            echo {}", patterns.join(" "), quoted(&source));
        }
    }
    text.push_str(
        "        case '*'\n            \
         __omp_flags $table | string match -q -- \"$flag\"\\t'*'\n    end\nend\n",
    );
    text
}

fn argument_table() -> String {
    let mut text = String::from(
        "# Prints what the argument of that number is.\n\
         function __omp_argument --argument-names table number\n    switch \"$table $number\"\n",
    );
    for command in tables() {
        for (pattern, source) in positions(command) {
            let label = quoted(&format!("{} {pattern}", command.name));
            let _ = writeln!(text, "        case {label}\n            echo {}", quoted(&source));
        }
    }
    text.push_str("        case '*'\n            echo nothing\n    end\nend\n");
    text
}

const HEAD: &str = "\
# Completion of omp for fish, made by `omp completions fish`.
# Save it:  omp completions fish > ~/.config/fish/completions/omp.fish
";

/// Everything that does not come from the table. Comments are inside, for those who read the script.
const BODY: &str = r#"# Prints what omp itself lists: a value, a tab and an explanation on each line.
function __omp_ask --argument-names source prefix
    omp __complete $source -- $prefix 2>/dev/null
end

# Prints what completes a value of that kind; before stands in front of it in the same word.
function __omp_value --argument-names kind current before
    set kind (string replace -r '^\?' '' -- $kind)
    set -l candidates
    switch $kind
        case 'words *'
            set candidates (string split ' ' -- (string replace 'words ' '' -- $kind))
        case '*,'
            set -l listed (string match -r '^.*,' -- $current)
            set before "$before$listed"
            set current (string replace -r '^.*,' '' -- $current)
            set candidates (__omp_ask (string replace ',' '' -- $kind) "$current")
        case models sessions settings
            set candidates (__omp_ask $kind "$current")
        case dirs
            set candidates (__fish_complete_directories "$current" directory)
        case files
            if string match -q '@*' -- $current
                set before "$before@"
                set current (string sub -s 2 -- $current)
            end
            if string match -q '~/*' -- $current
                set candidates (__fish_complete_path $HOME/(string sub -s 3 -- $current))
                set candidates '~'(string sub -s (math (string length -- $HOME) + 1) -- $candidates)
            else
                set candidates (__fish_complete_path "$current")
            end
    end
    for candidate in $candidates
        printf '%s%s\n' "$before" "$candidate"
    end
end

function __omp_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l unquoted (string unescape -- "$current")
    and set current "$unquoted"
    set -l last (count $words)
    set -l table launch
    set -l number 1
    set -l literal no
    set -l routed no

    set -l i 2
    while test $i -le $last
        set -l word $words[$i]
        if test $literal = yes
            set number (math $number + 1)
        else if test "$word" = --
            set literal yes
        else if string match -qr '^-.+=' -- $word
            __omp_kind $table (string replace -r '=.*' '' -- $word) >/dev/null
            or set routed yes
        else if string match -q -- '-?*' $word
            set -l kind
            if not set kind (__omp_kind $table $word)
                set routed yes
            else if test -n "$kind"
                if test $i -eq $last
                    if not string match -q '\?*' -- $kind; or not string match -q -- '-*' $current
                        __omp_value $kind "$current" ''
                        return
                    end
                else if not string match -q '\?*' -- $kind; or not string match -q -- '-*' $words[(math $i + 1)]
                    set i (math $i + 1)
                end
            end
        else if test $routed = no
            set routed yes
            if not set table (__omp_command $word)
                set table launch
                set number 2
            end
        else
            set number (math $number + 1)
        end
        set i (math $i + 1)
    end

    if test $literal = yes
        __omp_value (__omp_argument $table $number) "$current" ''
    else if string match -qr '^-.+=' -- $current
        set -l flag (string replace -r '=.*' '' -- $current)
        set -l kind (__omp_kind $table $flag)
        test -n "$kind"
        and __omp_value $kind (string replace -r '^[^=]*=' '' -- $current) "$flag="
    else if string match -q -- '-*' $current
        __omp_flags $table
    else
        test $routed = no
        and __omp_commands
        __omp_value (__omp_argument $table $number) "$current" ''
    end
end

complete -c omp -f -a '(__omp_complete)'
"#;
