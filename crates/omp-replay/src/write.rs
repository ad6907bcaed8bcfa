//! The file of a recording, written by a thread of its own. Nobody waits for the disk.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::line::Line;

/// What may wait for the disk. A disk that is further behind ends the recording.
const MOST_WAITING: usize = 64 * 1024 * 1024;
/// The largest recording.
pub(crate) const LARGEST: u64 = 512 * 1024 * 1024;

/// Writes lines in the order in which they come.
#[derive(Debug)]
pub(crate) struct Writer {
    desk: Arc<WriterQueue>,
    worker: Option<JoinHandle<()>>,
}

/// What the session and the thread share.
#[derive(Debug, Default)]
struct WriterQueue {
    tray: Mutex<Tray>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Tray {
    lines: VecDeque<String>,
    waiting: usize,
    closed: bool,
    /// Why nothing is written any more.
    trouble: Option<String>,
    /// Somebody was told of it.
    told: bool,
}

impl WriterQueue {
    fn tray(&self) -> MutexGuard<'_, Tray> {
        self.tray.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line; `None` when there will be none.
    fn next(&self) -> Option<String> {
        let mut tray = self.tray();
        loop {
            if let Some(line) = tray.lines.pop_front() {
                tray.waiting -= line.len();
                return Some(line);
            }
            if tray.closed {
                return None;
            }
            tray = self.news.wait(tray).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Tray {
    fn fail(&mut self, why: String) {
        self.trouble.get_or_insert(why);
        self.lines.clear();
        self.waiting = 0;
    }
}

impl Writer {
    /// Makes the file for its user alone. One that is there already is not overwritten.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        let desk = Arc::new(WriterQueue::default());
        let worker = std::thread::Builder::new().name("recording".to_owned());
        let shared = Arc::clone(&desk);
        let worker = worker.spawn(move || {
            if let Err(error) = work(file, &shared) {
                shared.tray().fail(error.to_string());
            }
        })?;
        Ok(Self { desk, worker: Some(worker) })
    }

    /// Takes a line. After trouble it is dropped: a disk that is full ends the recording, not the session.
    pub(crate) fn line(&self, text: String) {
        let mut tray = self.desk.tray();
        if tray.closed || tray.trouble.is_some() {
            return;
        }
        tray.waiting += text.len();
        if tray.waiting > MOST_WAITING {
            tray.fail("the disk is too slow".to_owned());
            return;
        }
        tray.lines.push_back(text);
        self.desk.news.notify_one();
    }

    /// What went wrong, once.
    pub(crate) fn trouble(&self) -> Option<String> {
        let mut tray = self.desk.tray();
        if tray.told {
            return None;
        }
        tray.told = tray.trouble.is_some();
        tray.trouble.clone()
    }

    /// Waits until everything is on the disk; what went wrong, if nobody was told.
    pub(crate) fn finish(&mut self) -> Option<String> {
        self.desk.tray().closed = true;
        self.desk.news.notify_one();
        if let Some(worker) = self.worker.take()
            && worker.join().is_err()
        {
            self.desk.tray().fail("the writer failed".to_owned());
        }
        self.trouble()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Whoever wanted to know how it ended has asked.
        let _ = self.finish();
    }
}

/// Each line goes to the system at once: a session that is killed leaves what happened until then.
fn work(mut file: File, desk: &WriterQueue) -> io::Result<()> {
    let mut written = 0;
    while let Some(mut line) = desk.next() {
        line.push('\n');
        written += line.len() as u64;
        if written > LARGEST {
            let full = serde_json::to_string(&Line::Full).map_err(io::Error::other)?;
            writeln!(file, "{full}")?;
            return Err(io::Error::other("it reached the limit of 512 MB"));
        }
        file.write_all(line.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that cannot be written to ends the recording; those who write continue and are told once.
    #[test]
    fn trouble_is_told_once() {
        let desk = Arc::new(WriterQueue::default());
        let full = File::options().write(true).open("/dev/full").unwrap();
        let shared = Arc::clone(&desk);
        let worker = std::thread::spawn(move || {
            if let Err(error) = work(full, &shared) {
                shared.tray().fail(error.to_string());
            }
        });
        let mut writer = Writer { desk, worker: Some(worker) };
        writer.line("one".to_owned());
        while writer.desk.tray().trouble.is_none() {
            std::thread::yield_now();
        }
        writer.line("two".to_owned());
        assert_eq!(writer.desk.tray().lines.len(), 0, "nothing piles up");
        assert!(writer.trouble().is_some_and(|why| why.contains("space")));
        assert_eq!((writer.trouble(), writer.finish()), (None, None), "once");
    }

    #[test]
    fn a_disk_that_stands_still_costs_no_more_than_its_share() {
        let writer = Writer { desk: Arc::default(), worker: None };
        let line = "x".repeat(1024 * 1024);
        (0..100).for_each(|_| writer.line(line.clone()));
        assert!(writer.desk.tray().lines.is_empty() && writer.trouble().is_some());
    }
}
