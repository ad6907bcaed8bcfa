//! Who the user is to GitHub, without saying it.

use std::path::PathBuf;

use ring::digest::{Context, SHA256};

/// The variables that `gh` takes a token from.
const TOKENS: [&str; 5] =
    ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_HOST"];

/// Differs for different credentials; tells nothing about them. `var` reads the environment that `gh` sees.
pub(crate) fn fingerprint(var: impl Fn(&str) -> Option<String>) -> String {
    let mut hash = Context::new(&SHA256);
    for name in TOKENS {
        hash.update(name.as_bytes());
        hash.update(&[0]);
        hash.update(var(name).unwrap_or_default().as_bytes());
        hash.update(&[0]);
    }
    let directory = var("GH_CONFIG_DIR").map(PathBuf::from);
    let directory = directory.or_else(|| Some(PathBuf::from(var("XDG_CONFIG_HOME")?).join("gh")));
    let directory = directory.or_else(|| Some(PathBuf::from(var("HOME")?).join(".config/gh")));
    let file = directory.and_then(|directory| std::fs::read(directory.join("hosts.yml")).ok());
    hash.update(&file.unwrap_or_default());
    hash.finish().as_ref().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_credentials_are_another_user() {
        let with =
            |token: &'static str| fingerprint(move |name| (name == "GH_TOKEN").then(|| token.to_owned()));
        assert_eq!(with("a-secret"), with("a-secret"));
        assert_ne!(with("a-secret"), with("another"));
        assert!(!with("a-secret").contains("secret"));
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().to_str().unwrap().to_owned();
        let from_file = || fingerprint(|name| (name == "GH_CONFIG_DIR").then(|| place.clone()));
        let before = from_file();
        std::fs::write(directory.path().join("hosts.yml"), "github.com:\n  user: ann\n").unwrap();
        assert_ne!(before, from_file());
    }
}
