//! The bash script. It does without the bash-completion package, and calls `compopt`, which old
//! versions lack, only where a failure does no harm.

use std::fmt::Write as _;

use super::sh::{self, quoted};
use super::{commands, flags, names, tables};

pub(super) fn script() -> String {
    [HEAD, &command_table(), &flag_table(), &sh::tables_as_cases(KNOWN), BODY].join("\n")
}

fn command_table() -> String {
    let all: Vec<&str> = commands().flat_map(names).collect();
    format!("__omp_commands={}\n", quoted(&all.join(" ")))
}

fn flag_table() -> String {
    let mut text = String::from("# Sets flags to those of a table.\n__omp_flags() {\n    case $1 in\n");
    for command in tables() {
        let all: Vec<String> = flags(command).flat_map(|flag| flag.spellings()).collect();
        let _ = writeln!(text, "        {}) flags={} ;;", command.name, quoted(&all.join(" ")));
    }
    text.push_str("    esac\n}\n");
    text
}

/// Whether a flag is in the table at all, for those without a value.
const KNOWN: &str = r#"local flags=''
            __omp_flags "$1"
            [[ " $flags " == *" $2 "* ]]"#;

const HEAD: &str = "\
# Completion of omp for bash, made by `omp completions bash`.
# Load it from ~/.bashrc:  source <(omp completions bash)
";

/// Everything that does not come from the table. Comments are inside, for those who read the script.
const BODY: &str = r#"# Puts the words of the line into words and cword. Bash splits at characters such as = : and @ too;
# pieces that have no space between them on the line are one word.
__omp_split() {
    words=() cword=0
    if [[ -z ${COMP_LINE-} ]]; then
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
        return
    fi
    local line=$COMP_LINE i last=-1
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        if ((last < 0)) || [[ $line == [[:space:]]* ]]; then
            last=$((last + 1))
            words[last]=${COMP_WORDS[i]}
        else
            words[last]+=${COMP_WORDS[i]}
        fi
        line=${line#"${line%%[![:space:]]*}"}
        line=${line#"${COMP_WORDS[i]}"}
        ((i == COMP_CWORD)) && cword=$last
    done
}

# Adds the candidates, one a line on standard input, that start with $2; $1 goes before each.
__omp_add() {
    local candidate
    while IFS= read -r candidate; do
        [[ $candidate == "$2"* ]] && COMPREPLY+=("$1$candidate")
    done
}

__omp_ask() {
    omp __complete "$1" -- "$2" 2>/dev/null | cut -f 1
}

# Adds what completes $2 as a value of kind $1; $3 is what stands before it in the same word.
__omp_value() {
    local kind=${1#\?} cur=$2 before=${3-}
    [[ $kind == files ]] || compopt +o default 2>/dev/null
    case $kind in
        'words '*) __omp_add "$before" "$cur" < <(printf '%s\n' ${kind#words }) ;;
        *,)
            before+=${cur%"${cur##*,}"}
            cur=${cur##*,}
            __omp_add "$before" "$cur" < <(__omp_ask "${kind%,}" "$cur")
            compopt -o nospace 2>/dev/null
            ;;
        models | sessions | settings) __omp_add "$before" "$cur" < <(__omp_ask "$kind" "$cur") ;;
        dirs)
            __omp_add "$before" "$cur" < <(compgen -d -- "$cur")
            compopt -o filenames 2>/dev/null
            ;;
        files)
            if [[ $cur == @* ]]; then
                __omp_attachment "$before@" "${cur#@}"
            else
                __omp_add "$before" "$cur" < <(compgen -f -- "$cur")
                compopt -o filenames 2>/dev/null
            fi
            ;;
    esac
    return 0
}

# Adds files with $1 before them. To bash such a word is no file name, so that quoting it and putting
# a slash instead of a space after a directory is done here.
__omp_attachment() {
    local path home quoted
    while IFS= read -r path; do
        home=''
        [[ $path == '~/'* ]] && home='~/'
        printf -v quoted %q "${path#"$home"}"
        if [[ -d ${path/#\~/$HOME} ]]; then
            quoted+=/
            compopt -o nospace 2>/dev/null
        fi
        COMPREPLY+=("$1$home$quoted")
    done < <(compgen -f -- "$2")
}

_omp() {
    local words cword
    __omp_split
    local cur=${words[cword]} table=launch kind='' pending='' literal='' routed='' count=0 i word flags
    COMPREPLY=()

    for ((i = 1; i < cword; i++)); do
        word=${words[i]}
        if [[ -n $literal ]]; then
            count=$((count + 1))
        elif [[ $word == -- ]]; then
            literal=1
        elif [[ $word == -?*=* ]]; then
            __omp_kind "$table" "${word%%=*}" || routed=1
        elif [[ $word == -?* ]]; then
            if ! __omp_kind "$table" "$word"; then
                routed=1
            elif [[ -n $kind && ($kind != \?* || ${words[i + 1]} != -*) ]]; then
                i=$((i + 1))
                ((i == cword)) && pending=$kind
            fi
        elif [[ -z $routed ]]; then
            routed=1
            __omp_command "$word" || count=1
        else
            count=$((count + 1))
        fi
    done

    if [[ -n $pending ]]; then
        __omp_value "$pending" "$cur"
    elif [[ -n $literal ]]; then
        __omp_argument "$table" $((count + 1))
        __omp_value "$kind" "$cur"
    elif [[ $cur == -?*=* ]]; then
        __omp_kind "$table" "${cur%%=*}" && __omp_value "$kind" "${cur#*=}" "${cur%%=*}="
    elif [[ $cur == -* ]]; then
        __omp_flags "$table"
        __omp_add '' "$cur" < <(printf '%s\n' $flags)
    else
        [[ -z $routed ]] && __omp_add '' "$cur" < <(printf '%s\n' $__omp_commands)
        if ((${#COMPREPLY[@]} == 0)); then
            __omp_argument "$table" $((count + 1))
            __omp_value "$kind" "$cur"
        fi
    fi

    # Bash replaces only what follows the last = or : (it splits at @ too, but counts it in).
    if [[ -n ${COMP_LINE-} ]]; then
        local tail=$cur character
        for character in = :; do
            [[ $COMP_WORDBREAKS == *"$character"* ]] && tail=${tail##*"$character"}
        done
        local head=${cur%"$tail"}
        for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
            COMPREPLY[i]=${COMPREPLY[i]#"$head"}
        done
    fi
    return 0
}

complete -o default -F _omp omp
"#;
