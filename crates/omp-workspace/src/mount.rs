//! What kind of file system a path lies on.

use std::path::Path;

/// Does the path lie on a file system behind a network or another program? There every look at a file may take long,
/// and a walk through all of them very long. What cannot be told is taken for local.
pub fn is_remote(path: &Path) -> bool {
    nix::sys::statfs::statfs(path).is_ok_and(|found| crate::sys::is_remote_kind(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_makes_up_is_local() {
        assert!(!is_remote(Path::new("/proc")));
        assert!(!is_remote(Path::new("/does/not/exist")));
    }
}
