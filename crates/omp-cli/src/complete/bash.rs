//! The bash script. It needs neither the bash-completion package nor a bash newer than 3.2.

use std::fmt::Write as _;

use super::{commands, flags, names, positions, source_of, table_of, tables};

pub(super) fn script() -> String {
    format!("{HEAD}\n{}\n{}\n{}\n{}\n{BODY}", command_table(), flag_table(), value_table(), argument_table())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn command_table() -> String {
    let all: Vec<&str> = commands().flat_map(names).collect();
    let mut text = format!("__omp_commands={}\n\n", quoted(&all.join(" ")));
    text.push_str("# Sets table to the one that a command completes from; fails for other words.\n");
    text.push_str("__omp_command() {\n    case $1 in\n");
    for command in commands() {
        let names: Vec<&str> = names(command).collect();
        let _ = writeln!(text, "        {}) table={} ;;", names.join("|"), table_of(command));
    }
    text.push_str("        *) return 1 ;;\n    esac\n}\n");
    text
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

fn value_table() -> String {
    let mut text = String::from(
        "# Sets kind to what a flag of a table takes, empty for a switch; fails for unknown flags.\n\
         __omp_kind() {\n    kind=''\n    case \"$1 $2\" in\n",
    );
    for command in tables() {
        for flag in flags(command) {
            let Some(source) = source_of(flag) else { continue };
            let patterns: Vec<String> =
                flag.spellings().map(|spelled| quoted(&format!("{} {spelled}", command.name))).collect();
            let _ = writeln!(text, "        {}) kind={} ;;", patterns.join("|"), quoted(&source));
        }
    }
    text.push_str(
        "        *)\n            local flags=''\n            __omp_flags \"$1\"\n            \
         [[ \" $flags \" == *\" $2 \"* ]] ;;\n    esac\n}\n",
    );
    text
}

fn argument_table() -> String {
    let mut text = String::from(
        "# Sets kind to what the argument of that number is.\n\
         __omp_argument() {\n    kind='nothing'\n    case \"$1 $2\" in\n",
    );
    for command in tables() {
        for (pattern, source) in positions(command) {
            let _ = writeln!(text, "        '{} '{pattern}) kind={} ;;", command.name, quoted(&source));
        }
    }
    text.push_str("    esac\n}\n");
    text
}

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
        models | sessions) __omp_add "$before" "$cur" < <(__omp_ask "$kind" "$cur") ;;
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
