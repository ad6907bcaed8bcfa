//! What the user has: directories, settings, and the files of omp and of other agents.
//!
//! Nothing here reads the environment by itself: variables are handed in, so that tests and embedding programs
//! decide what is seen.

mod directories;
pub mod discovery;
pub mod frontmatter;
pub mod settings;

pub use directories::{Directories, DirectoryError, expand_home};
