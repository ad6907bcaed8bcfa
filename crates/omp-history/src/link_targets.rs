//! Where a file really is.

use std::path::{Path, PathBuf};

/// More links than this, one behind the other, are a loop.
const MOST_LINKS: usize = 40;

/// What a change of a path may change: the link that it is, if it is one, and what all links lead to.
pub(crate) fn places(path: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let mut next = path.to_owned();
    while places.len() < MOST_LINKS {
        let place = match (next.parent(), next.file_name()) {
            (Some(directory), Some(name)) => real(directory).join(name),
            _ => real(&next),
        };
        let link = std::fs::read_link(&place);
        places.push(place.clone());
        match (link, place.parent()) {
            (Ok(to), Some(directory)) => next = directory.join(to),
            _ => break,
        }
    }
    places
}

/// A directory behind all links. What is not there yet is named by the directory it will be in.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    for above in path.ancestors().skip(1) {
        if let (Ok(real), Ok(rest)) = (std::fs::canonicalize(above), path.strip_prefix(above)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}
