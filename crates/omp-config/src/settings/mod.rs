//! The settings: one table, and the layers that give each key its value.
