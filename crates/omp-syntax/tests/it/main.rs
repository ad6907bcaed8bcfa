//! What syntax trees say about texts.

mod blocks;
mod bounds;
mod languages;
mod outlines;
mod patterns;
mod properties;
