//! Parsers of foreign bytes as functions of bytes: what comes from models, providers, servers, other programs' files and the
//! keyboard must never make omp panic, whatever it is.
//!
//! A [`Target`] takes bytes and checks what holds for all of them. `fuzz/` drives the targets with coverage for as long as
//! somebody wants; the test `short` drives them with [`mutate`] from the same seeds for a moment, as part of `./test`.

mod edits;
mod files;
pub mod mutate;
mod streams;
mod text;

/// A parser.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// Panics if something does not hold.
    pub run: fn(&[u8]),
    /// How often the short run calls it: a share of a second in an unoptimised build.
    pub rounds: u32,
}

const fn target(name: &'static str, run: fn(&[u8]), rounds: u32) -> Target {
    Target { name, run, rounds }
}

/// All of them. Each has its seeds in `fuzz/seeds/<name>/`.
pub const TARGETS: &[Target] = &[
    target("hashline", edits::hashline, 1_500),
    target("patch", edits::patch, 400),
    target("replace", edits::replace, 1_000),
    target("sse", streams::sse, 4_000),
    target("provider", streams::provider, 1_500),
    target("arguments", streams::arguments, 4_000),
    target("dialect", streams::dialect, 1_000),
    target("mcp", streams::mcp, 2_000),
    target("keys", streams::keys, 4_000),
    target("output", streams::output, 4_000),
    target("shell", text::shell, 1_500),
    target("frontmatter", text::frontmatter, 3_000),
    target("models", text::models, 60),
    target("definition", text::definition, 1_500),
    target("notebook", text::notebook, 1_500),
    target("session", files::session, 300),
    target("settings", files::settings, 120),
    target("dotenv", files::dotenv, 1_000),
    target("catalogue", files::catalogue, 1_500),
    target("zip", files::zip, 800),
    target("tar", files::tar, 800),
    target("office", files::office, 60),
];

/// The target of that name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}

/// Bytes as two parts, cut where the first byte says: streams are cut anywhere.
fn cut(data: &[u8]) -> (&[u8], &[u8]) {
    let Some((first, rest)) = data.split_first() else { return (data, data) };
    rest.split_at(rest.len() * usize::from(*first) / 256)
}
