//! History on pictures.
