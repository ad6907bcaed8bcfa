//! The prompt editor.
