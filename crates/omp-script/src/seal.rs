//! Code that may be loaded as it is now, and no other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

/// The files that a unit may load as modules, by path and content. What was written after somebody agreed to them, or is loaded by a
/// name that nobody saw, is refused.
#[derive(Clone, Debug, Default)]
pub struct CodeSeal(HashMap<PathBuf, [u8; 32]>);

fn sum(content: &[u8]) -> [u8; 32] {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, content).as_ref());
    sum
}

impl CodeSeal {
    /// Adds a file. Links are followed, as they are when a module is looked for.
    pub fn add(&mut self, path: &Path, content: &[u8]) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.0.insert(real, sum(content));
    }

    /// Are all files as they were?
    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut paths: Vec<&PathBuf> = self.0.keys().collect();
        paths.sort();
        paths.into_iter().try_for_each(|path| {
            let content =
                std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            self.check(path, &content)
        })
    }

    /// May a file be loaded with this content? The error is a sentence.
    pub fn check(&self, path: &Path, content: &[u8]) -> Result<(), String> {
        let reason = match self.0.get(path) {
            Some(known) if *known == sum(content) => return Ok(()),
            Some(_) => "it has changed since you trusted it",
            None => "it is not among the files that you trusted",
        };
        Err(format!("cannot load {}: {reason}", path.display()))
    }
}
