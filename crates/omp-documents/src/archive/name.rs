//! Names: of archives, of members, and of both in one string.

/// Kinds of archives, which are known by the end of their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Zip,
    Tar,
    TarGz,
}

const ENDINGS: &[(&str, Format)] =
    &[(".tar.gz", Format::TarGz), (".tgz", Format::TarGz), (".tar", Format::Tar), (".zip", Format::Zip)];

impl Format {
    /// The format that a file of this name has.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format)
    }
}

/// All ways to read `typed` as `archive.ext:inner`, the longest archive name first. `inner` is empty for the archive
/// itself.
pub fn splits(typed: &str) -> Vec<(&str, &str, Format)> {
    let colons = typed.match_indices(':').map(|(colon, _)| (&typed[..colon], &typed[colon + 1..]));
    let mut found: Vec<_> = std::iter::once((typed, ""))
        .chain(colons)
        .filter_map(|(archive, inner)| Some((archive, inner, Format::of(archive)?)))
        .collect();
    found.sort_by_key(|(archive, ..)| std::cmp::Reverse(archive.len()));
    found
}

/// A path inside an archive: segments without `.`, joined by `/`; empty for the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inner(String);

impl Inner {
    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is it the archive itself?
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

/// The path that a typed or stored name means; `None` if it has `..`, which never leads anywhere inside.
pub fn inner(name: &str) -> Option<Inner> {
    let name = name.replace('\\', "/");
    let segments = || name.split('/').filter(|segment| !segment.is_empty() && *segment != ".");
    if segments().any(|segment| segment == "..") {
        return None;
    }
    Some(Inner(segments().collect::<Vec<_>>().join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_split() {
        let split = |typed| splits(typed).into_iter().map(|(archive, inner, _)| (archive, inner)).collect();
        let found: Vec<(&str, &str)> = split("a.zip:b.tar.gz:c");
        assert_eq!(found, [("a.zip:b.tar.gz", "c"), ("a.zip", "b.tar.gz:c")]);
        let found: Vec<(&str, &str)> = split("dir/A.TGZ");
        assert_eq!(found, [("dir/A.TGZ", "")]);
        let found: Vec<(&str, &str)> = split("a.txt:b");
        assert!(found.is_empty());
    }

    #[test]
    fn inner_paths_are_normalised() {
        let shown = |name| inner(name).map(|inner| inner.as_str().to_owned());
        assert_eq!(shown("./a//b/./c"), Some("a/b/c".into()));
        assert_eq!(shown("/etc/passwd"), Some("etc/passwd".into()));
        assert_eq!(shown("a\\b"), Some("a/b".into()));
        assert_eq!(shown("."), Some(String::new()));
        assert_eq!(shown("a/../b"), None);
        assert_eq!(shown("a..b"), Some("a..b".into()));
    }
}
