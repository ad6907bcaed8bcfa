//! The zsh script, in an interactive zsh with its real completion system behind a pseudo-terminal.

use omp_cli::Shell;

use crate::support::{Bench, flags_by_command, sorted};

/// Types each line into an interactive zsh, asks for completion, and writes down every match that
/// reaches `compadd`. Matches of one line follow a line `== line`. `MATCHES` and `SCRIPT` reach the inner
/// shell through the environment.
const DRIVER: &str = r#"
zmodload zsh/zpty || exit 1
export SCRIPT=$1 MATCHES=$PWD/../matches SETUP=$PWD/../setup
shift
: > $MATCHES
cat > $SETUP <<'SETUP'
PS1= KEYTIMEOUT=1
unsetopt beep
autoload -Uz compinit && compinit -D -u
source $SCRIPT
compadd() {
    # Calls with -O, -A or -D only compute; the completion system makes them for itself.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)* ]]; then
        builtin compadd "$@"
        return
    fi
    local -a found
    builtin compadd -A found "$@"
    (( $#found )) && print -rl -- $IPREFIX${^found} >> $MATCHES
    builtin compadd "$@"
}
finished() { print -r -- '== end' >> $MATCHES; zle kill-whole-line }
zle -N finished
bindkey '^X' finished
zle -C attempt list-choices _main_complete
bindkey '^T' attempt
print -r -- '== end' >> $MATCHES
SETUP
zpty -b inner zsh -f -i
integer expected=0
# Reads what the inner shell prints, lest it blocks, until it is done. A minute is far beyond any load.
settle() {
    local ignored i
    ((expected++))
    for ((i = 0; i < 1200; i++)); do
        while zpty -r -t inner ignored; do :; done
        [[ ${#${(M)${(f)"$(<$MATCHES)"}:#== end}} -ge $expected ]] && return
        sleep 0.05
    done
    print -u2 "zsh did not finish: $1"
    exit 1
}
zpty -w inner 'source $SETUP'
settle setup
for line in "$@"; do
    print -r -- "== $line" >> $MATCHES
    zpty -w -n inner "$line"$'\x14\x18'
    settle $line
done
zpty -d inner
cat $MATCHES
"#;

/// The matches for each line, sorted, in the order of the lines. One zsh serves them all.
fn complete(bench: &Bench, lines: &[&str]) -> Vec<Vec<String>> {
    let script = bench.script();
    let output = bench.run(DRIVER, &[&[script.to_str().unwrap()], lines].concat());
    let found: Vec<Vec<String>> = output
        .split("== end\n")
        .filter_map(|part| part.strip_prefix("== "))
        .map(|part| sorted(part.split_once('\n').map_or("", |(_, matches)| matches)))
        .collect();
    assert_eq!(found.len(), lines.len(), "{output}");
    found
}

fn check(cases: &[(&str, &[&str])]) {
    let lines: Vec<&str> = cases.iter().map(|(line, _)| *line).collect();
    let found = complete(&Bench::new(Shell::Zsh), &lines);
    for ((line, expected), found) in cases.iter().zip(found) {
        assert_eq!(&found, expected, "{line}");
    }
}

// proves: CLI-115
#[test]
fn commands_flags_and_words() {
    check(&[
        ("omp comp", &["completions"]),
        ("omp w", &["worktree", "wt"]),
        ("omp __c", &[]),
        ("omp --cwd src mod", &["models"]),
        ("omp --mod", &["--mode", "--model", "--models"]),
        ("omp -e", &["-e"]),
        ("omp q --re", &["--recency"]),
        ("omp --mode ", &["acp", "json", "rpc", "rpc-ui", "text"]),
        ("omp --mode=js", &["--mode=json"]),
        ("omp q x --recency m", &["month"]),
        ("omp completions ", &["bash", "fish", "zsh"]),
        ("omp wt c", &["clear"]),
    ]);
}

// proves: CLI-116
#[test]
fn values_by_flag() {
    check(&[
        ("omp --model openr", &["openrouter/qwen:free"]),
        ("omp --model=openr", &["--model=openrouter/qwen:free"]),
        ("omp --smol anth", &["anthropic/opus"]),
        ("omp --slow anth", &["anthropic/opus"]),
        ("omp --plan anth", &["anthropic/opus"]),
        ("omp --models x,openai", &["x,openai/gpt-5"]),
        ("omp --resume ab", &["abc123", "abd999"]),
        ("omp -r ab", &["abc123", "abd999"]),
        ("omp --session ab", &["abc123", "abd999"]),
        ("omp --fork ab", &["abc123", "abd999"]),
        ("omp --resume --no-sk", &["--no-skills"]),
        ("omp config get retry.", &["retry.enabled", "retry.maxRetries"]),
        ("omp --tools read,b", &["read,bash"]),
        ("omp --tools=read,b", &["--tools=read,bash"]),
        ("omp --cwd s", &["src"]),
        ("omp --cwd R", &[]),
        ("omp --add-dir s", &["src"]),
        ("omp --session-dir s", &["src"]),
        ("omp --plugin-dir s", &["src"]),
        ("omp hi @R", &["@README.md"]),
        ("omp --export RE", &["README.md"]),
        ("omp --system-prompt=RE", &["--system-prompt=README.md"]),
        ("omp hi RE", &["README.md"]),
        ("omp -- RE", &["README.md"]),
    ]);
}

// proves: CLI-118
#[test]
fn the_flags_are_those_of_help() {
    let commands = flags_by_command();
    let lines: Vec<String> = commands.iter().map(|(command, _)| format!("omp {command} -")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let found = complete(&Bench::new(Shell::Zsh), &lines);
    for ((command, flags), found) in commands.into_iter().zip(found) {
        assert_eq!(found, flags, "{command}");
    }
}

#[test]
fn the_script_also_works_as_a_file_in_fpath() {
    const PROGRAM: &str = r#"
mkdir ../fpath && cp $1 ../fpath/_omp
fpath=(../fpath $fpath)
autoload -Uz compinit && compinit -D -u
print -r -- $_comps[omp]
"#;
    let bench = Bench::new(Shell::Zsh);
    assert_eq!(bench.run(PROGRAM, &[bench.script().to_str().unwrap()]), "_omp\n");
}
