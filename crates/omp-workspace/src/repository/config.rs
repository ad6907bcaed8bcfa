//! The settings of a repository: those that are known to run nothing, in the form in which git writes them.

use std::path::Path;

use super::{Repository, risky_hook};

/// Sections without a name of their own, and their settings. `*` stands for all.
const PLAIN: &[(&str, &str)] = &[
    ("advice", "*"),
    ("apply", "whitespace ignorewhitespace"),
    ("blame", "blankboundary coloring date ignorerevsfile showemail showroot"),
    ("branch", "autosetupmerge autosetuprebase sort"),
    ("checkout", "defaultremote guess workers"),
    ("color", "*"),
    ("column", "*"),
    ("commit", "cleanup gpgsign status verbose"),
    (
        "core",
        "abbrev attributesfile autocrlf bare bigfilethreshold checkstat commentchar compression deltabasecachelimit eol excludesfile filemode \
         hidedotfiles ignorecase ignorestat logallrefupdates longpaths multipackindex packedgitlimit \
         packedgitwindowsize precomposeunicode preloadindex protecthfs protectntfs quotepath repositoryformatversion \
         safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks trustctime untrackedcache \
         warnambiguousrefs whitespace",
    ),
    (
        "diff",
        "algorithm colormoved colormovedws context dirstat ignoresubmodules indentheuristic interhunkcontext \
         mnemonicprefix noprefix renamelimit renames relative statgraphwidth submodule suppressblankempty wordregex \
         wserrorhighlight",
    ),
    ("extensions", "compatobjectformat noop preciousobjects refstorage relativeworktrees worktreeconfig"),
    ("feature", "*"),
    ("fetch", "output parallel prune prunetags recursesubmodules showforcedupdates writecommitgraph"),
    (
        "gc",
        "aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks packrefs pruneexpire \
         reflogexpire reflogexpireunreachable worktreepruneexpire writecommitgraph",
    ),
    ("grep", "column extendedregexp fallbacktonoindex fullname linenumber patterntype threads"),
    ("gui", "geometry wmstate"),
    ("http", "extraheader lowspeedlimit lowspeedtime postbuffer version"),
    ("i18n", "*"),
    ("index", "*"),
    ("init", "defaultbranch"),
    ("lfs", "repositoryformatversion"),
    ("log", "abbrevcommit date decorate follow mailmap showroot"),
    ("maintenance", "auto autodetach strategy"),
    ("merge", "autostash conflictstyle ff log renamelimit renames stat"),
    ("pack", "*"),
    ("pull", "ff octopus rebase twohead"),
    ("push", "autosetupremote default followtags recursesubmodules useforceifincludes"),
    ("rebase", "abbreviatecommands autosquash autostash missingcommitscheck stat updaterefs"),
    ("receive", "denycurrentbranch denydeletes denynonfastforwards"),
    ("remote", "pushdefault"),
    ("rerere", "autoupdate enabled"),
    ("stash", "*"),
    ("status", "*"),
    ("submodule", "active alternateerrorstrategy alternatelocation fetchjobs recurse"),
    ("tag", "gpgsign sort"),
    ("user", "email name signingkey useconfigonly"),
    ("versionsort", "suffix"),
];

/// Sections with a name of their own: `[branch "main"]`.
const NAMED: &[(&str, &str)] = &[
    (
        "branch",
        "base description gh-merge-base github-pr-base-branch github-pr-owner-number merge pushremote rebase remote \
         vscode-merge-base",
    ),
    ("color", "*"),
    ("gitflow", "*"),
    ("http", "extraheader"),
    ("lfs", "access locksverify"),
    ("maintenance", "enabled schedule"),
    (
        "remote",
        "fetch gh-resolved mirror prune prunetags push pushurl skipdefaultupdate skipfetchall tagopt url",
    ),
    ("submodule", "active branch fetchrecursesubmodules ignore path shallow url"),
];

/// What `git lfs install` writes. The program is the user's own, as it is with the same settings in the user's file.
const LFS: [(&str, &str); 4] = [
    ("clean", "git-lfs clean -- %f"),
    ("smudge", "git-lfs smudge -- %f"),
    ("process", "git-lfs filter-process"),
    ("required", "true"),
];

/// A section as it is written: `[section "name"]`.
struct Section {
    section: String,
    name: Option<String>,
}

/// The first setting that is not known to be harmless, or the first line that cannot be read for certain.
pub(super) fn first_risk(text: &str, repository: &Repository) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut section = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_matches([' ', '\t']);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let unreadable = || Some(format!("line {} of the configuration", at + 1));
        if line.starts_with('[') {
            section = header(line);
            if section.is_none() {
                return unreadable();
            }
            continue;
        }
        let (Some(section), Some((key, value))) = (&section, setting(line)) else { return unreadable() };
        if !section.is_harmless(&key, value, repository) {
            return Some(section.full_name(&key));
        }
    }
    None
}

/// Does a text that [`first_risk`] has nothing against say that ids are those of SHA-256?
pub(super) fn has_long_ids(text: &str) -> bool {
    let settings = text.lines().filter_map(|line| setting(line.trim_matches([' ', '\t'])));
    settings.into_iter().any(|(key, value)| key == "objectformat" && value == "sha256")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A header on a line of its own. Escapes, older forms and anything behind it are left to git.
fn header(line: &str) -> Option<Section> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (section, name) = match inner.split_once(' ') {
        None => (inner, None),
        Some((section, quoted)) => (section, Some(quoted.strip_prefix('"')?.strip_suffix('"')?)),
    };
    // The name is shown to people.
    let strange = |letter: char| letter.is_control() || matches!(letter, '"' | '\\');
    let plain = name.is_none_or(|name| !name.contains(strange));
    (is_name(section) && plain)
        .then(|| Section { section: section.to_ascii_lowercase(), name: name.map(str::to_owned) })
}

/// A key, in lower case, with its value. A value that continues on the next line is none.
fn setting(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.split_once('=').unwrap_or((line, "true"));
    let (key, value) = (key.trim_end_matches([' ', '\t']), value.trim_matches([' ', '\t']));
    let whole = !value.ends_with('\\') && !value.contains('\0');
    (is_name(key) && whole).then(|| (key.to_ascii_lowercase(), value))
}

impl Section {
    fn full_name(&self, key: &str) -> String {
        match &self.name {
            Some(name) => format!("{}.{name}.{key}", self.section),
            None => format!("{}.{key}", self.section),
        }
    }

    fn is_harmless(&self, key: &str, value: &str, repository: &Repository) -> bool {
        // What a value is, is asked for a few of them; quotes and comments in those are for git to read.
        let plain = !value.contains(['"', '\\', '#', ';']);
        match (self.section.as_str(), self.name.as_deref(), key) {
            ("core", None, "fsmonitor") => plain && is_switch(value),
            ("core", None, "hookspath") => plain && has_no_risky_hook(value, repository),
            ("core", None, "worktree") => plain && repository.is_own_work_tree(Path::new(value)),
            ("extensions", None, "objectformat") => matches!(value, "sha1" | "sha256"),
            ("submodule", Some(_), "update") => {
                plain && matches!(value, "checkout" | "rebase" | "merge" | "none")
            }
            ("filter", Some("lfs"), key) => LFS.contains(&(key, value)),
            (section, None, key) => is_listed(PLAIN, section, key),
            (section, Some(_), key) => is_listed(NAMED, section, key),
        }
    }
}

fn is_listed(table: &[(&str, &str)], section: &str, key: &str) -> bool {
    let listed = |keys: &str| keys == "*" || keys.split_ascii_whitespace().any(|known| known == key);
    table.iter().any(|(known, keys)| *known == section && listed(keys))
}

fn is_switch(value: &str) -> bool {
    ["true", "false", "yes", "no", "on", "off", "1", "0"]
        .iter()
        .any(|known| value.eq_ignore_ascii_case(known))
}

/// Other hooks than those of every look are run by commands that are known to.
fn has_no_risky_hook(value: &str, repository: &Repository) -> bool {
    let Some(work_tree) = &repository.work_tree else { return false };
    !value.is_empty() && !value.starts_with(['~', '%']) && risky_hook(&work_tree.join(value)).is_none()
}
