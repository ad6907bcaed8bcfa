//! What the user has: directories, settings, and the files of omp and of other agents.
//!
//! Nothing here reads the environment by itself: variables are handed in, so that tests and embedding programs
//! decide what is seen.

pub mod alias;
mod boolean;
mod directories;
pub mod discovery;
pub mod dotenv;
pub mod frontmatter;
pub mod packages;
pub mod permissions;
mod profile;
pub mod settings;
mod trust;
pub mod xdg;

pub use boolean::boolean_like;
pub use directories::{Directories, DirectoryError, expand_home};
pub use profile::{InvalidProfile, Profile, ProfileName};
pub use trust::{TrustError, change_trust, load_trust, project_root, trust_file};
