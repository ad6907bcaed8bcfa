//! The table of programs. Its rows are text, so that they can be read and compared at a glance; `rows/README.md` has the
//! format.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Executes;

const TEXTS: &[&str] = &[
    include_str!("rows/files.txt"),
    include_str!("rows/text.txt"),
    include_str!("rows/shell.txt"),
    include_str!("rows/system.txt"),
    include_str!("rows/git.txt"),
    include_str!("rows/build.txt"),
    include_str!("rows/script.txt"),
    include_str!("rows/network.txt"),
];

/// Why it cannot be undone, by the word that stands in a row.
const REASONS: &[(&str, &str)] = &[
    ("clean", "Deletes untracked files"),
    ("discard", "Discards uncommitted changes"),
    ("history", "Rewrites or deletes git history"),
    ("remote", "Overwrites or deletes commits on a remote"),
    ("data", "Deletes data of a service, a container or a database"),
    ("accounts", "Changes users, groups or scheduled jobs"),
];

/// Kinds of effects, without their targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    pub writes: bool,
    pub destroys: bool,
    pub executes: Executes,
    /// The project's remotes and registries.
    pub network: bool,
    /// Other hosts.
    pub elsewhere: bool,
    pub outside: bool,
}

impl Kinds {
    /// Does something of one kind at most what is of the other?
    pub fn is_within(self, other: Self) -> bool {
        self.writes <= other.writes
            && self.destroys <= other.destroys
            && self.executes <= other.executes
            && self.network <= other.network
            && self.elsewhere <= other.elsewhere
            && self.outside <= other.outside
    }
}

/// One program, or one command of it.
#[derive(Debug)]
pub(super) struct ProgramRow {
    /// The program and the words behind it that choose this row.
    pub(super) path: Vec<&'static str>,
    pub(super) base: Base,
    pub(super) operands: Operands,
    options: HashMap<&'static str, Opt>,
}

/// What every call does.
#[derive(Debug, Default)]
pub(super) struct Base {
    /// Something in the directory where it runs.
    pub(super) writes: bool,
    pub(super) executes: Executes,
    pub(super) network: bool,
    pub(super) any_host: bool,
    pub(super) outside: bool,
    pub(super) irreversible: Option<&'static str>,
    /// No option does more than reading, so a word that only a run can tell is harmless.
    pub(super) insensitive: bool,
    /// Options end at the first argument.
    pub(super) early: bool,
    /// Options are words behind one dash.
    pub(super) single: bool,
    /// What runs is named by the arguments: a rule for some arguments says nothing about others.
    pub(super) named: bool,
}

/// What the arguments of a program are.
#[derive(Debug, Default)]
pub(super) struct Operands {
    pub(super) first: Vec<Slot>,
    /// Any number of these, after the first ones.
    pub(super) rest: Option<Slot>,
    pub(super) last: Option<Slot>,
}

/// What one argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Read, or just text.
    Read,
    /// A path that is written.
    Write,
    /// A path that is gone afterwards.
    Destroy,
    /// A file of the project that is run. What follows belongs to it.
    Script,
    /// The name of something that the project defines and that is run.
    Task,
    /// A host or an address.
    Host,
    /// A name whose presence means that something is changed where the program runs.
    Name,
    /// From here on it is another command.
    Command,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opt {
    pub(super) value: Value,
    pub(super) does: Does,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    None,
    /// In the same word or in the next.
    Required,
    /// In the same word only.
    Optional,
}

/// What an option does beyond what every call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Nothing,
    Write,
    Destroy,
    Arbitrary,
    Project,
    Network,
    Host,
    Outside,
    Script,
    /// The arguments are written.
    InPlace,
    /// Nothing is changed after all.
    OnlyReads,
    Irreversible(&'static str),
}

impl ProgramRow {
    pub(super) fn option(&self, name: &str) -> Option<Opt> {
        self.options.get(name).copied()
    }

    /// What calls of this row do at most without the options that do more.
    pub(crate) fn kinds(&self) -> Kinds {
        let slots = || self.operands.first.iter().chain(&self.operands.rest).chain(&self.operands.last);
        let has = |slot: Slot| slots().any(|one| *one == slot);
        let runs = has(Slot::Script) || has(Slot::Task);
        Kinds {
            writes: self.base.writes || has(Slot::Write),
            destroys: self.base.irreversible.is_some() || has(Slot::Destroy),
            executes: self.base.executes.max(if runs { Executes::Project } else { Executes::Nothing }),
            network: self.base.network,
            elsewhere: self.base.any_host || has(Slot::Host),
            outside: self.base.outside,
        }
    }
}

/// All rows of a program, those with the longest path first.
pub(super) fn rows(program: &str) -> &'static [ProgramRow] {
    static TABLE: LazyLock<HashMap<&'static str, Vec<ProgramRow>>> = LazyLock::new(read);
    TABLE.get(program).map(Vec::as_slice).unwrap_or_default()
}

fn read() -> HashMap<&'static str, Vec<ProgramRow>> {
    let mut table: HashMap<&'static str, Vec<ProgramRow>> = HashMap::new();
    for text in TEXTS {
        for row in read_rows(text) {
            for name in row.path[0].split(',') {
                let path = [&[name], &row.path[1..]].concat();
                table.entry(name).or_default().push(ProgramRow { path, ..row.read() });
            }
        }
    }
    table.values_mut().for_each(|rows| rows.sort_by_key(|row| std::cmp::Reverse(row.path.len())));
    table
}

/// The columns of a row before they are read.
struct Columns {
    path: Vec<&'static str>,
    kinds: &'static str,
    operands: &'static str,
    options: Vec<&'static str>,
}

/// Rows of a text. Indented lines belong to the row above; `@name` stands for a list of options.
fn read_rows(text: &'static str) -> Vec<Columns> {
    let mut rows: Vec<Columns> = Vec::new();
    let mut lists: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let expand = |text: &'static str| -> Vec<&'static str> {
            let one = |word: &'static str| lists.get(word).cloned().unwrap_or_else(|| vec![word]);
            text.split_whitespace().flat_map(one).collect()
        };
        if line.starts_with(' ') {
            let more = expand(line);
            rows.last_mut().into_iter().for_each(|row| row.options.extend(&more));
        } else if line.starts_with('@')
            && let Some((name, options)) = line.split_once('=')
        {
            let options = expand(options);
            lists.entry(name.trim()).or_default().extend(options);
        } else {
            let mut columns = line.splitn(4, '|').map(str::trim);
            let path = columns.next().unwrap_or_default().split_whitespace().collect();
            let (kinds, operands) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
            let options = expand(columns.next().unwrap_or_default());
            rows.push(Columns { path, kinds, operands, options });
        }
    }
    rows
}

impl Columns {
    fn read(&self) -> ProgramRow {
        let options = self.options.iter().map(|text| option(text)).collect();
        ProgramRow { path: Vec::new(), base: base(self.kinds), operands: operands(self.operands), options }
    }
}

fn base(text: &'static str) -> Base {
    let mut base = Base::default();
    for word in text.split_whitespace() {
        match word {
            "w" => base.writes = true,
            "p" => base.executes = Executes::Project,
            "x" => base.executes = Executes::Arbitrary,
            "n" => base.network = true,
            "N" => base.any_host = true,
            "o" => base.outside = true,
            "*" => base.insensitive = true,
            "^" => base.early = true,
            "-" => base.single = true,
            "=" => base.named = true,
            other => base.irreversible = other.strip_prefix("D:").and_then(reason),
        }
    }
    base
}

fn reason(key: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| *name == key).map(|(_, reason)| *reason)
}

fn operands(text: &'static str) -> Operands {
    let mut operands = Operands::default();
    for word in text.split_whitespace().filter(|word| *word != "-") {
        let slot = match word.trim_end_matches('*') {
            "w" => Slot::Write,
            "d" => Slot::Destroy,
            "s" => Slot::Script,
            "t" => Slot::Task,
            "h" => Slot::Host,
            "c" => Slot::Command,
            "W" => Slot::Name,
            _ => Slot::Read,
        };
        match (word.ends_with('*'), operands.rest) {
            (true, _) => operands.rest = Some(slot),
            (false, None) => operands.first.push(slot),
            (false, Some(_)) => operands.last = Some(slot),
        }
    }
    operands
}

fn option(text: &'static str) -> (&'static str, Opt) {
    let (text, does) = text.split_once('!').unwrap_or((text, ""));
    let (name, value) = match (text.strip_suffix('='), text.strip_suffix('?')) {
        (Some(name), _) => (name, Value::Required),
        (_, Some(name)) => (name, Value::Optional),
        _ => (text, Value::None),
    };
    let does = match does {
        "w" => Does::Write,
        "d" => Does::Destroy,
        "x" => Does::Arbitrary,
        "p" => Does::Project,
        "n" => Does::Network,
        "h" => Does::Host,
        "o" => Does::Outside,
        "s" => Does::Script,
        "I" => Does::InPlace,
        "R" => Does::OnlyReads,
        other => other.strip_prefix("D:").and_then(reason).map_or(Does::Nothing, Does::Irreversible),
    };
    (name, Opt { value, does })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[&str] = &["", "w", "d", "x", "p", "n", "h", "o", "s", "I", "R"];

    /// A typo in a row must not become an option without effect.
    #[test]
    fn rows_have_no_typos() {
        let is_reason = |word: &str| word.strip_prefix("D:").is_some_and(|key| reason(key).is_some());
        let mut programs = std::collections::BTreeSet::new();
        for row in TEXTS.iter().flat_map(|text| read_rows(text)) {
            let Columns { path, kinds, operands, options } = &row;
            programs.extend(path[0].split(','));
            let kind = |word: &str| {
                ["r", "w", "p", "x", "n", "N", "o", "*", "^", "-", "="].contains(&word) || is_reason(word)
            };
            assert!(kinds.split_whitespace().all(kind), "{path:?}: {kinds}");
            let slot = |word: &str| {
                ["r", "w", "d", "s", "t", "h", "c", "W", "-", "a"].contains(&word.trim_end_matches('*'))
            };
            assert!(operands.split_whitespace().all(slot), "{path:?}: {operands}");
            for text in options {
                let does = text.split_once('!').map_or("", |(_, does)| does);
                assert!(text.starts_with(['-', '+']), "{path:?}: {text}");
                assert!(PLAIN.contains(&does) || is_reason(does), "{path:?}: {text}");
            }
        }
        assert!(programs.len() >= 150, "{} programs", programs.len());
    }

    #[test]
    fn kinds_are_compared() {
        let reads = Kinds::default();
        let writes = Kinds { writes: true, ..reads };
        let runs = Kinds { executes: Executes::Project, ..reads };
        assert!(reads.is_within(writes) && !writes.is_within(reads));
        assert!(!runs.is_within(writes) && runs.is_within(runs));
    }
}
