//! Plugins: packages from registries, git and directories, and what marketplaces offer. This crate installs, updates and removes
//! them and records that; `omp_config::discovery` reads the records and finds the parts of what is installed.
//!
//! - `packages`: packages below `plugins/node_modules`, their manifests, features and settings
//! - `registry`: registries of npm packages, without a package manager
//! - `marketplace`: catalogues, and the plugins that are installed from them
//! - `git`: clones of repositories
//! - `records`: files that say what is installed, and the lock for changing them; `staging`: temporary directories
//! - `fetch`: how this crate reaches the network

mod fetch;
pub mod git;
pub mod marketplace;
pub mod packages;
pub mod records;
pub mod registry;
pub mod staging;

pub use fetch::{Fetch, FetchError, Fetched};
