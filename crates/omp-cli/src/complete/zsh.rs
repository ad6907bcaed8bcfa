//! The zsh script. It works as a file named `_omp` in `$fpath` and when sourced after `compinit`.

use std::fmt::Write as _;

use super::sh::{self, quoted};
use super::{commands, described, flags, names, tables};

pub(super) fn script() -> String {
    [HEAD, &command_table(), &flag_table(), &sh::tables_as_cases(KNOWN), BODY].join("\n")
}

/// A word with its explanation, as `_describe` reads it.
fn entry(word: &str, help: &str) -> String {
    quoted(&format!("{}:{help}", word.replace(':', r"\:")))
}

fn command_table() -> String {
    let mut text = String::from("__omp_commands() {\n    commands=(\n");
    for command in commands() {
        for name in names(command) {
            let _ = writeln!(text, "        {}", entry(name, &described(command.summary, command.waits_for)));
        }
    }
    text.push_str("    )\n}\n");
    text
}

fn flag_table() -> String {
    let mut text = String::from(
        "# Sets flags to those of a table, with explanations.\n__omp_flags() {\n    case $1 in\n",
    );
    for command in tables() {
        let _ = writeln!(text, "        {}) flags=(", command.name);
        for flag in flags(command) {
            let help = described(flag.help, flag.waits_for);
            for spelled in flag.spellings() {
                let _ = writeln!(text, "            {}", entry(&spelled, &help));
            }
        }
        text.push_str("        ) ;;\n");
    }
    text.push_str("    esac\n}\n");
    text
}

/// Whether a flag is in the table at all, for those without a value.
const KNOWN: &str = r#"local -a flags
            __omp_flags "$1"
            [[ -n ${(M)flags:#"$2":*} ]]"#;

const HEAD: &str = "\
#compdef omp
# Completion of omp for zsh, made by `omp completions zsh`.
# Load it from ~/.zshrc after compinit:  source <(omp completions zsh)
# or save it as _omp in a directory of $fpath.
";

/// Everything that does not come from the table. Comments are inside, for those who read the script.
const BODY: &str = r#"# Offers what omp itself lists: lines of a value, a tab and an explanation.
__omp_ask() {
    local -a candidates
    local line value
    for line in ${(f)"$(omp __complete $1 -- ${(Q)PREFIX} 2>/dev/null)"}; do
        value=${line%%$'\t'*}
        if [[ $line == *$'\t'* ]]; then
            candidates+=("${value//:/\\:}:${line#*$'\t'}")
        else
            candidates+=("${value//:/\\:}")
        fi
    done
    _describe -V -t "omp-$1" "$1" candidates
}

# Offers what completes the current word as a value of that kind.
__omp_value() {
    local kind=${1#\?}
    case $kind in
        'words '*) compadd -- ${=kind#words } ;;
        *,)
            compset -P '*,'
            __omp_ask ${kind%,}
            ;;
        models|sessions|settings) __omp_ask $kind ;;
        dirs) _path_files -/ ;;
        files)
            compset -P '@'
            _files
            ;;
        *) _message 'value' ;;
    esac
}

_omp() {
    local table=launch kind='' pending='' literal='' routed='' word
    local -a flags commands
    integer count=0 i

    for ((i = 2; i < CURRENT; i++)); do
        word=${(Q)words[i]}
        if [[ -n $literal ]]; then
            ((count++))
        elif [[ $word == -- ]]; then
            literal=1
        elif [[ $word == -?*=* ]]; then
            __omp_kind $table ${word%%=*} || routed=1
        elif [[ $word == -?* ]]; then
            if ! __omp_kind $table $word; then
                routed=1
            elif [[ -n $kind && ( $kind != \?* || $words[i+1] != -* ) ]]; then
                ((i++))
                ((i == CURRENT)) && pending=$kind
            fi
        elif [[ -z $routed ]]; then
            routed=1
            __omp_command $word || count=1
        else
            ((count++))
        fi
    done

    if [[ -n $pending ]]; then
        __omp_value $pending
    elif [[ -n $literal ]]; then
        __omp_argument $table $((count + 1))
        __omp_value $kind
    elif [[ $PREFIX == -?*=* ]]; then
        __omp_kind $table ${PREFIX%%=*} && [[ -n $kind ]] || return 1
        compset -P 1 '*='
        __omp_value $kind
    elif [[ $PREFIX == -* ]]; then
        __omp_flags $table
        _describe -o -t omp-flags flag flags
    else
        if [[ -z $routed ]]; then
            __omp_commands
            _describe -t omp-commands command commands && return
        fi
        __omp_argument $table $((count + 1))
        __omp_value $kind
    fi
}

if [[ $funcstack[1] == _omp ]]; then
    _omp "$@"
elif (( $+functions[compdef] )); then
    compdef _omp omp
fi
"#;
