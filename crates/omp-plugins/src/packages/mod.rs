//! Packages below `plugins/node_modules`.
