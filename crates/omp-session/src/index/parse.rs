//! The outsides of many lines at once, by as many threads as are worth it.

use memchr::{memchr, memchr_iter};

use super::record::{RecordKind, key};
use crate::envelope::Envelope;

/// Less is not worth another thread.
const WORTH_A_THREAD: usize = 512 * 1024;
const MOST_THREADS: usize = 4;

/// A line that is not blank.
pub(super) struct Parsed {
    pub(super) offset: u64,
    /// With its newline.
    pub(super) length: u32,
    /// `None` if the line is no entry.
    pub(super) entry: Option<ParsedEntry>,
}

#[derive(Clone, Copy)]
pub(super) struct ParsedEntry {
    pub(super) key: u64,
    pub(super) parent: Option<u64>,
    pub(super) kind: RecordKind,
}

/// The lines of a block that begins at `offset`, in order.
pub(super) fn block(bytes: &[u8], offset: u64) -> Vec<Parsed> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let threads = cores.min(bytes.len() / WORTH_A_THREAD + 1);
    if threads < 2 {
        return part(bytes, offset);
    }
    std::thread::scope(|scope| {
        let parts = split(bytes, threads);
        let running: Vec<_> = parts
            .into_iter()
            .map(|(start, bytes)| scope.spawn(move || part(bytes, offset + start as u64)))
            .collect();
        // A worker that fails would have failed here as well.
        running
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Parts of about equal length that end where lines end, with their places.
fn split(bytes: &[u8], parts: usize) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let mut start = 0;
    for number in 1..=parts {
        let about = (bytes.len() * number / parts).max(start);
        let end = memchr(b'\n', &bytes[about..]).map_or(bytes.len(), |newline| about + newline + 1);
        found.push((start, &bytes[start..end]));
        start = end;
    }
    found
}

fn part(bytes: &[u8], offset: u64) -> Vec<Parsed> {
    let mut found = Vec::new();
    let mut start = 0;
    for newline in memchr_iter(b'\n', bytes) {
        let line = &bytes[start..=newline];
        let text = line.trim_ascii();
        if !text.is_empty() {
            let entry = Envelope::read(text).map(|envelope| ParsedEntry {
                key: key(&envelope.id),
                parent: envelope.parent_id.as_deref().map(key),
                kind: RecordKind::of(&envelope),
            });
            // Lines that do not fit are not handed out.
            let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
            found.push(Parsed { offset: offset + start as u64, length, entry });
        }
        start = newline + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_lines() {
        let text = "a\nbb\n\nccc\nd\n";
        for parts in 1..10 {
            let split = split(text.as_bytes(), parts);
            assert_eq!(split.iter().map(|(_, part)| *part).collect::<Vec<_>>().concat(), text.as_bytes());
            for (start, part) in split {
                assert!(part.is_empty() || part.ends_with(b"\n"));
                assert!(text.as_bytes()[start..].starts_with(part));
            }
        }
    }
}
