//! Clones of git repositories, without questions, in temporary directories.
