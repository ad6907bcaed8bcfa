//! Checksums of packages, as registries publish them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{self, Algorithm};

/// What a package must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checksums {
    /// `sha512-…`, several apart by spaces.
    pub integrity: Option<String>,
    /// The old form, in hexadecimal digits: used only where there is nothing else.
    pub shasum: Option<String>,
}

/// The strongest first.
static ALGORITHMS: [(&str, &Algorithm); 4] = [
    ("sha512-", &digest::SHA512),
    ("sha384-", &digest::SHA384),
    ("sha256-", &digest::SHA256),
    ("sha1-", &digest::SHA1_FOR_LEGACY_USE_ONLY),
];

impl Checksums {
    /// Is this the content? The error is half a sentence.
    pub fn check(&self, content: &[u8]) -> Result<(), &'static str> {
        let published = self.integrity.as_deref().unwrap_or_default();
        for (prefix, algorithm) in ALGORITHMS {
            let mut known =
                published.split_whitespace().filter_map(|one| one.strip_prefix(prefix)).peekable();
            if known.peek().is_none() {
                continue;
            }
            let own = STANDARD.encode(digest::digest(algorithm, content));
            let same = known.any(|known| known.split('?').next() == Some(own.as_str()));
            return if same {
                Ok(())
            } else {
                Err("its content does not have the checksum that the registry publishes")
            };
        }
        let Some(known) = self.shasum.as_deref().filter(|_| published.trim().is_empty()) else {
            return Err("the registry publishes no checksum that omp knows");
        };
        let own = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, content);
        let own: String = own.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        if own.eq_ignore_ascii_case(known.trim()) {
            Ok(())
        } else {
            Err("its content does not have the checksum that the registry publishes")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_checksum_counts() {
        let sri = |algorithm: &'static Algorithm, name: &str, content: &[u8]| {
            format!("{name}-{}", STANDARD.encode(digest::digest(algorithm, content)))
        };
        let checksums = |integrity: &str, shasum: &str| Checksums {
            integrity: Some(integrity.to_owned()).filter(|text| !text.is_empty()),
            shasum: Some(shasum.to_owned()).filter(|text| !text.is_empty()),
        };
        let good = sri(&digest::SHA512, "sha512", b"x");
        assert_eq!(checksums(&good, "").check(b"x"), Ok(()));
        assert!(checksums(&good, "").check(b"y").is_err());
        let weak = sri(&digest::SHA1_FOR_LEGACY_USE_ONLY, "sha1", b"y");
        assert!(checksums(&format!("{weak} {good}"), "").check(b"y").is_err(), "a weaker one does not count");
        let sha1_of_x = "11f6ad8ec52a2984abaafd7c3b516503785c2072";
        assert_eq!(checksums("", sha1_of_x).check(b"x"), Ok(()));
        assert!(checksums(&sri(&digest::SHA512, "sha512", b"y"), sha1_of_x).check(b"x").is_err());
        assert!(checksums("md5-abc", sha1_of_x).check(b"x").is_err(), "what is not known is not skipped");
        assert!(checksums("", "").check(b"x").is_err());
    }
}
