//! What models report about tools that did not do what they were told: a file of lines on this machine, sent nowhere.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Older reports give way to a new one beyond this size of the file.
const MOST_BYTES: usize = 1 << 20;
/// A longer report is cut.
const MOST_TEXT: usize = 4_000;

/// One report.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ToolReport {
    pub id: u64,
    /// RFC 3339.
    pub time: String,
    pub tool: String,
    pub report: String,
    /// The version of omp.
    pub version: String,
}

/// The file of reports.
#[derive(Clone, Debug)]
pub struct ToolReports {
    path: PathBuf,
}

impl ToolReports {
    /// Nothing is read or created yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// All reports, the oldest first. Lines that are not reports are passed over.
    pub fn list(&self) -> io::Result<Vec<ToolReport>> {
        let text = match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        Ok(reports(&text).map(|(report, _)| report).collect())
    }

    /// Adds a report and returns its number.
    pub fn add(&self, tool: &str, report: &str, time: jiff::Timestamp, version: &str) -> io::Result<u64> {
        let (mut file, text) = self.locked()?;
        let id = reports(&text).map(|(report, _)| report.id).max().unwrap_or(0) + 1;
        let cut = |text: &str| text.chars().take(MOST_TEXT).collect::<String>();
        let report = ToolReport {
            id,
            time: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            tool: cut(tool),
            report: cut(report),
            version: version.to_owned(),
        };
        let mut line = serde_json::to_string(&report)?;
        line.push('\n');
        if text.len() + line.len() > MOST_BYTES {
            let from = text.len() + line.len() - MOST_BYTES;
            let kept = text[text.floor_char_boundary(from)..].split_once('\n').map_or("", |(_, rest)| rest);
            replace(&mut file, &format!("{kept}{line}"))?;
            return Ok(id);
        }
        // What a full disk cut off must not swallow this line.
        let apart = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        file.seek(SeekFrom::End(0))?;
        file.write_all(format!("{apart}{line}").as_bytes())?;
        Ok(id)
    }

    /// Deletes those reports and says how many they were. Lines that are not reports stay.
    pub fn delete(&self, which: impl Fn(&ToolReport) -> bool) -> io::Result<usize> {
        if !self.path.exists() {
            return Ok(0);
        }
        let (mut file, text) = self.locked()?;
        let mut deleted = 0;
        let kept = text.split_inclusive('\n').filter(|line| {
            let goes = reports(line).next().is_some_and(|(report, _)| which(&report));
            deleted += usize::from(goes);
            !goes
        });
        let kept: String = kept.collect();
        if deleted > 0 {
            replace(&mut file, &kept)?;
        }
        Ok(deleted)
    }

    /// The file, which no other process changes while it is open, and what is in it.
    fn locked(&self) -> io::Result<(File, String)> {
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&self.path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok((file, text))
    }
}

fn replace(file: &mut File, text: &str) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

fn reports(text: &str) -> impl Iterator<Item = (ToolReport, &str)> {
    text.lines().filter_map(|line| Some((serde_json::from_str(line).ok()?, line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(reports: &ToolReports, tool: &str, report: &str) -> u64 {
        reports.add(tool, report, jiff::Timestamp::UNIX_EPOCH, "1").unwrap()
    }

    #[test]
    fn reports_are_numbered_and_deleted_and_other_lines_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("reports.jsonl");
        let reports = ToolReports::new(&path);
        assert_eq!(reports.list().unwrap(), []);
        assert_eq!(reports.delete(|_| true).unwrap(), 0);
        assert!(!path.exists());
        std::fs::write(&path, "from another program").unwrap();
        assert_eq!((at(&reports, "read", "one"), at(&reports, "edit", "two")), (1, 2));
        assert_eq!(reports.delete(|report| report.tool == "read").unwrap(), 1);
        assert_eq!(at(&reports, "read", "three"), 3);
        let left: Vec<u64> = reports.list().unwrap().iter().map(|report| report.id).collect();
        assert_eq!(left, [2, 3]);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("from another program\n{"));
    }

    #[test]
    fn the_file_is_bounded() {
        let directory = tempfile::tempdir().unwrap();
        let reports = ToolReports::new(&directory.path().join("reports.jsonl"));
        let long = "ä".repeat(MOST_TEXT + 1);
        for _ in 0..150 {
            at(&reports, "read", &long);
        }
        let listed = reports.list().unwrap();
        assert_eq!(listed.last().unwrap().id, 150);
        assert!(listed.len() > 100 && listed.len() < 150, "{}", listed.len());
        assert!(listed.iter().all(|report| report.report.chars().count() == MOST_TEXT));
    }
}
