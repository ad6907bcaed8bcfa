//! What Git LFS leaves in place of a large file that was not fetched.

/// How such a file begins.
const START: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Why it cannot be opened, behind the name of the file.
pub(crate) const REASON: &str = "it is a Git LFS pointer, not the file itself; fetch it with git lfs pull";

/// Is a file that begins so only a pointer?
pub(crate) fn is_pointer(head: &[u8]) -> bool {
    head.starts_with(START)
}
