//! Where lines of large files begin, remembered from earlier readings, so that the next page of a long log is found
//! without counting its lines from the start again.

mod ahead;

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::text::{Charset, Mark, Request, Window, read_window_from};

/// Shorter files are counted through in a few milliseconds.
const LARGE: u64 = 16 * 1024 * 1024;
/// Fewer lines than this are skipped while reading.
const FAR: u64 = 20_000;
/// Files that are remembered.
const FILES: usize = 16;
/// Two changes within this many seconds may leave the same time behind.
const SETTLED: i64 = 2;

/// What was learned about large files.
#[derive(Debug, Default)]
pub struct Milestones {
    /// The file that was read last is the last.
    files: Mutex<VecDeque<Known>>,
}

#[derive(Debug)]
struct Known {
    path: PathBuf,
    stamp: Stamp,
    /// Sorted by line.
    marks: Vec<Mark>,
}

/// Which state of a file the marks belong to. The time of change cannot be set by anybody.
type Stamp = (u64, u64, u64, (i64, i64));

impl Milestones {
    /// Reads lines of a file, beginning as near to them as is known. Counting lines far into a large file ends with
    /// [`io::ErrorKind::Interrupted`] once `stop` says so.
    pub fn read_window(
        &self,
        path: &Path,
        mut file: File,
        metadata: &Metadata,
        (charset, request): (Charset, &Request),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> io::Result<Window> {
        // Other encodings cannot be entered in the middle.
        if metadata.len() < LARGE || !matches!(charset, Charset::Utf8 | Charset::Utf8Bom) {
            return read_window_from(file, charset, request, Mark::START, &mut |_| {});
        }
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        let stamp = (metadata.dev(), metadata.ino(), metadata.len(), changed);
        let settled = is_settled(metadata, SystemTime::now());
        let mut known = match settled {
            true => self.take(path, stamp),
            false => Known { path: path.to_owned(), stamp, marks: Vec::new() },
        };
        let first = request.ranges.first().map_or(1, |range| *range.start());
        let furthest = known.marks.last().copied().unwrap_or(Mark::START);
        if furthest.line + FAR < first {
            known.marks.extend(ahead::pass(&file, furthest, first, stop)?);
        }
        let near = known.marks.partition_point(|mark| mark.line <= first).checked_sub(1);
        let start = near.and_then(|near| known.marks.get(near).copied()).unwrap_or(Mark::START);
        file.seek(SeekFrom::Start(start.offset))?;
        let mut furthest = known.marks.last().map_or(0, |mark| mark.line);
        let window = read_window_from(file, charset, request, start, &mut |mark| {
            if mark.line > furthest {
                furthest = mark.line;
                known.marks.push(mark);
            }
        });
        if settled {
            self.files().push_back(known);
        }
        window
    }

    /// The marks of this state of the file. Two calls at once both work; the later one is remembered.
    fn take(&self, path: &Path, stamp: Stamp) -> Known {
        let mut files = self.files();
        let place = files.iter().position(|known| known.path == path);
        let known = place.and_then(|place| files.remove(place)).filter(|known| known.stamp == stamp);
        if files.len() >= FILES {
            files.pop_front();
        }
        known.unwrap_or_else(|| Known { path: path.to_owned(), stamp, marks: Vec::new() })
    }

    fn files(&self) -> std::sync::MutexGuard<'_, VecDeque<Known>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file was left alone for long enough that a change from now on will show.
fn is_settled(metadata: &Metadata, now: SystemTime) -> bool {
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(now).is_ok_and(|now| metadata.ctime().saturating_add(SETTLED) <= now)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Lines of 8 bytes with a byte order mark before them: line `n` holds its number.
    fn large(directory: &Path) -> PathBuf {
        let path = directory.join("log");
        let mut text = b"\xef\xbb\xbf".to_vec();
        for line in 1..=3_000_000 {
            writeln!(text, "{line:07}").unwrap();
        }
        std::fs::write(&path, text).unwrap();
        path
    }

    fn line(milestones: &Milestones, path: &Path, line: u64) -> String {
        let file = File::open(path).unwrap();
        let metadata = file.metadata().unwrap();
        let request = Request { ranges: vec![line..=line], asked: line, max_lines: 10, max_bytes: 1000 };
        let window =
            milestones.read_window(path, file, &metadata, (Charset::Utf8Bom, &request), &|| false).unwrap();
        assert_eq!((window.segments.len(), window.segments[0].first), (1, line));
        window.segments[0].lines[0].clone()
    }

    #[test]
    fn lines_are_found_from_any_side_and_a_changed_file_is_counted_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = large(directory.path());
        let metadata = std::fs::metadata(&path).unwrap();
        assert!(!is_settled(&metadata, SystemTime::now()), "just written");
        let milestones = Milestones::default();
        assert_eq!(line(&milestones, &path, 2_500_000), "2500000");
        assert!(milestones.files().is_empty(), "what may still change is not remembered");
        std::thread::sleep(std::time::Duration::from_millis(3100));
        for wanted in [2_500_000, 1, 2_499_999, 2_500_001, 131_000, 2_900_000, 2_999_999, 3_000_000] {
            assert_eq!(line(&milestones, &path, wanted), format!("{wanted:07}"));
        }
        let marks = milestones.files()[0].marks.clone();
        assert!(marks.len() > 10 && marks.is_sorted_by_key(|mark| mark.line), "{marks:?}");
        // What is remembered is used: a wrong mark shows.
        for mark in &mut milestones.files()[0].marks {
            mark.line += 1;
        }
        assert_eq!(line(&milestones, &path, 2_500_000), "2499999");
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"more\n").unwrap();
        assert_eq!(line(&milestones, &path, 2_500_000), "2500000");
    }
}
