//! The two ways in which session files are written: append a line, replace the whole.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Conversations hold what people would not show to others.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_DIRECTORY: u32 = 0o700;

/// Names of files that are not finished begin and end like this.
pub(crate) const TEMPORARY: (&str, &str) = (".omp-", ".tmp");

const BUFFER: usize = 64 * 1024;

/// Appends lines, with the file looked up again: another process may have replaced it by a rewrite, and what is
/// appended to the old one would be lost.
pub(crate) struct Appender {
    file: File,
    end: End,
}

/// How the file ends before the next line.
#[derive(PartialEq, Eq)]
enum End {
    /// Someone emptied it.
    Empty,
    Newline,
    /// A crash or a full disk cut the last line off.
    Torn,
}

impl Appender {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        let end = end(&file)?;
        Ok(Self { file, end })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.end == End::Empty
    }

    /// `line` ends with a newline. It is handed to the kernel in one piece, behind a newline of its own if the
    /// line before it is torn.
    pub(crate) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        match self.end {
            // Only the newline is missing: the disk was full there, and the line comes again.
            End::Torn if self.ends_with(line)? => self.file.write_all(b"\n")?,
            End::Torn => self.file.write_all(&[b"\n", line].concat())?,
            End::Empty | End::Newline => self.file.write_all(line)?,
        }
        self.end = End::Newline;
        Ok(())
    }

    /// Is `line` the last of the file already, without its newline?
    fn ends_with(&self, line: &[u8]) -> io::Result<bool> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let length = self.file.metadata()?.len();
        // With the newline before it: the end of another line is not this one.
        let Some(start) = length.checked_sub(text.len() as u64 + 1) else { return Ok(false) };
        let mut last = vec![0; text.len() + 1];
        self.file.read_exact_at(&mut last, start)?;
        Ok(last.split_first() == Some((&b'\n', text)))
    }

    /// Forces what was appended to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

fn end(file: &File) -> io::Result<End> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(End::Empty);
    }
    let mut last = [0];
    file.read_exact_at(&mut last, length - 1)?;
    Ok(if last == *b"\n" { End::Newline } else { End::Torn })
}

/// Writes a file in one step: readers see the old content or the new, never a part. The directory is created.
pub(crate) fn replace(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let temporary = filled(path, fill)?;
    temporary.file.sync_all()?;
    temporary.rename(path)?;
    // The name itself. Not every file system can, and the content is safe without it.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(())
}

/// The same for what can be made again: after a loss of power it may be damaged.
pub(crate) fn replace_unsynced(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    filled(path, fill)?.rename(path)
}

fn filled(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<Temporary> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    create_directory(directory)?;
    let temporary = Temporary::create(directory)?;
    if let Ok(old) = std::fs::metadata(path) {
        temporary.file.set_permissions(old.permissions())?;
    }
    let mut writer = BufWriter::with_capacity(BUFFER, &temporary.file);
    fill(&mut writer)?;
    writer.flush()?;
    drop(writer);
    Ok(temporary)
}

pub(crate) fn create_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_DIRECTORY).create(path)
}

/// A file under a name that nobody else uses; removed unless it was renamed.
struct Temporary {
    file: File,
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn create(directory: &Path) -> io::Result<Self> {
        let (begin, end) = TEMPORARY;
        let name = format!("{begin}{}-{:08x}{end}", std::process::id(), fastrand::u32(..));
        let path = directory.join(name);
        let file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(&path)?;
        Ok(Self { file, path, renamed: false })
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        std::fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    // proves: SES-069
    #[test]
    fn readers_see_the_old_content_or_the_new() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.jsonl");
        replace(&path, |writer| writer.write_all(b"old\n")).unwrap();
        let mut seen = Vec::new();
        let failed = replace(&path, |writer| {
            writer.write_all(&[b'x'; 100_000])?;
            writer.flush()?;
            seen = std::fs::read(&path)?; // A reader in the middle of the rewrite.
            Err(io::Error::other("full"))
        });
        assert!(failed.is_err());
        assert_eq!(
            (seen.as_slice(), std::fs::read(&path).unwrap().as_slice()),
            (&b"old\n"[..], &b"old\n"[..])
        );
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");

        let reader = File::open(&path).unwrap();
        replace(&path, |writer| writer.write_all(b"new\n")).unwrap();
        assert_eq!(io::read_to_string(reader).unwrap(), "old\n", "who reads the old file goes on reading it");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new\n");
    }

    /// The disk can be full at any byte, also between a line and its newline.
    #[test]
    fn a_line_that_lacks_only_its_newline_is_not_written_twice() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.jsonl");
        for (before, after) in [
            ("{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n"),
            ("{\"a\":1}\n{\"b\":2", "{\"a\":1}\n{\"b\":2\n{\"b\":2}\n"),
            ("{\"a\":1}\nx{\"b\":2}", "{\"a\":1}\nx{\"b\":2}\n{\"b\":2}\n"),
            ("{\"b\":", "{\"b\":\n{\"b\":2}\n"),
            ("{\"a\":1}\n", "{\"a\":1}\n{\"b\":2}\n"),
        ] {
            std::fs::write(&path, before).unwrap();
            Appender::open(&path).unwrap().append(b"{\"b\":2}\n").unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after, "after {before}");
        }
    }

    #[test]
    fn files_are_private_and_keep_a_mode_that_was_chosen() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/s.jsonl");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        replace(&path, |writer| writer.write_all(b"a\n")).unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        replace(&path, |writer| writer.write_all(b"b\n")).unwrap();
        assert_eq!(mode(&path), 0o640);
    }
}
