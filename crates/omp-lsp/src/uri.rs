//! Files as servers name them.

use std::path::{Path, PathBuf};

use url::Url;

/// The address of a file. The path must be absolute.
pub fn of(path: &Path) -> String {
    // Only a relative path has no address.
    Url::from_file_path(path).map_or_else(|()| format!("file://{}", path.display()), String::from)
}

/// The file behind an address; `None` for one that is not on this machine.
pub fn path(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: INT-023
    #[test]
    fn every_name_survives() {
        for name in ["/a b#1%.rs", "/ü/ß?.ts", "/100%25", "/a+b&c=d", "/日本 語/[x]{y}.py", "/tab\t\"q\""]
        {
            let uri = of(Path::new(name));
            assert!(uri.starts_with("file:///") && uri.is_ascii(), "{uri}");
            assert!(!uri.contains(['#', '?', ' ']), "{uri}");
            assert_eq!(path(&uri).as_deref(), Some(Path::new(name)), "{uri}");
        }
    }

    #[test]
    fn other_machines_have_no_files() {
        assert_eq!(path("file://elsewhere/x"), None);
        assert_eq!(path("untitled:x"), None);
        assert_eq!(path("https://h/x"), None);
        assert_eq!(path("file:///a/../b").as_deref(), Some(Path::new("/b")));
    }
}
