//! Passing over the lines of a large file with several threads: to find line ten million, every line before it must be
//! counted, and the copy out of the system's cache takes most of that time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::text::Mark;

/// What one thread counts at a time. The last line end of each piece is worth a mark.
const PIECE: u64 = 1024 * 1024;
/// One read.
const CHUNK: usize = 128 * 1024;
/// More threads would wait for memory.
const THREADS: usize = 8;

/// The lines from `start` on, up to the piece that holds line `wanted` or the end of the file. Returns where lines
/// begin, one for each piece that has any, in the order of the file. `stop` is asked before every piece.
pub(super) fn pass(
    file: &File,
    start: Mark,
    wanted: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> io::Result<Vec<Mark>> {
    let length = file.metadata()?.len();
    let count = Count { file, start, length, wanted, stop, state: Mutex::new(CountingState::new(start)) };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no thread to give, this one does it all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || count.work());
        }
        count.work();
    });
    let state = count.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failed.map_or(Ok(state.marks), Err)
}

struct Count<'a> {
    file: &'a File,
    start: Mark,
    length: u64,
    wanted: u64,
    stop: &'a (dyn Fn() -> bool + Sync),
    state: Mutex<CountingState>,
}

/// What is known so far.
struct CountingState {
    /// The first piece that nobody has taken.
    next: u64,
    /// Counted pieces behind one that is still being counted.
    waiting: BTreeMap<u64, Piece>,
    /// All before this piece are counted.
    counted: u64,
    /// The number of the line in which that piece begins.
    line: u64,
    marks: Vec<Mark>,
    failed: Option<io::Error>,
}

impl CountingState {
    fn new(start: Mark) -> Self {
        let (waiting, marks) = (BTreeMap::new(), Vec::new());
        Self { next: 0, waiting, counted: 0, line: start.line, marks, failed: None }
    }
}

/// The line ends of a piece.
#[derive(Default)]
struct Piece {
    ends: u64,
    /// Behind the last one.
    offset: u64,
}

impl Count<'_> {
    /// Counts pieces until there are enough.
    fn work(&self) {
        let mut chunk = vec![0; CHUNK];
        while let Some(number) = self.take() {
            let counted = self.count(number, &mut chunk);
            self.put(number, counted);
        }
    }

    fn take(&self) -> Option<u64> {
        let stopped = (self.stop)();
        let mut state = self.state();
        if stopped && state.failed.is_none() {
            state.failed = Some(io::ErrorKind::Interrupted.into());
        }
        let more = self.start.offset + state.next * PIECE < self.length;
        if state.failed.is_some() || state.line >= self.wanted || !more {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    fn count(&self, number: u64, chunk: &mut [u8]) -> io::Result<Piece> {
        let mut piece = Piece::default();
        let mut offset = self.start.offset + number * PIECE;
        let end = (offset + PIECE).min(self.length);
        while offset < end {
            let room = usize::try_from(end - offset).map_or(chunk.len(), |left| left.min(chunk.len()));
            let read = match self.file.read_at(&mut chunk[..room], offset) {
                // Somebody has made the file shorter.
                Ok(0) => break,
                Ok(read) => &chunk[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if let Some(last) = memchr::memrchr(b'\n', read) {
                piece.ends += memchr::memchr_iter(b'\n', read).count() as u64;
                piece.offset = offset + last as u64 + 1;
            }
            offset += read.len() as u64;
        }
        Ok(piece)
    }

    /// Pieces are joined in the order of the file.
    fn put(&self, number: u64, counted: io::Result<Piece>) {
        let mut state = self.state();
        match counted {
            Ok(piece) => drop(state.waiting.insert(number, piece)),
            Err(error) => state.failed = Some(error),
        }
        loop {
            let place = state.counted;
            let Some(piece) = state.waiting.remove(&place) else { return };
            state.counted += 1;
            if piece.ends > 0 {
                state.line += piece.ends;
                let mark = Mark { line: state.line, offset: piece.offset };
                state.marks.push(mark);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, CountingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(text: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        file
    }

    #[test]
    fn every_mark_is_where_its_line_begins() {
        // Lines of very different lengths, one longer than several pieces.
        let mut text = Vec::new();
        for line in 0..400_000_u32 {
            let length = if line == 70_000 { 3_500_000 } else { line % 40 };
            text.extend(std::iter::repeat_n(b'x', length as usize));
            text.push(b'\n');
        }
        text.extend(b"no end");
        let begins: Vec<u64> =
            [0].into_iter().chain(memchr::memchr_iter(b'\n', &text).map(|end| end as u64 + 1)).collect();
        let file = file(&text);
        for (start, wanted) in [(0_usize, u64::MAX), (0, 200_000), (123_456, 399_999), (0, 1)] {
            let from = Mark { line: start as u64 + 1, offset: begins[start] };
            let marks = pass(&file, from, wanted, &|| false).unwrap();
            assert!(marks.is_sorted_by_key(|mark| mark.line));
            for mark in &marks {
                assert_eq!(begins[mark.line as usize - 1], mark.offset, "{mark:?}");
            }
            let counted = marks.last().map_or(from.line, |mark| mark.line);
            assert!(counted >= wanted.min(400_001), "{counted} of {wanted}");
            assert!(wanted == u64::MAX || marks.len() <= 14, "no more is counted than is needed");
        }
    }

    #[test]
    fn whoever_stops_it_is_told() {
        let file = file(&b"line\n".repeat(1_000_000));
        let stopped = pass(&file, Mark::START, u64::MAX, &|| true).unwrap_err();
        assert_eq!(stopped.kind(), io::ErrorKind::Interrupted);
    }
}
