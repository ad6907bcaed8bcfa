//! The same archive with another member: everything else is copied as it is stored.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use omp_workspace::write::{Mode, Outcome, WriteError, Written, write_exactly_with, write_with};
use tar::{Builder, EntryType, Header};

use super::index::{Incomplete, Lookup};
use super::records::{Record, Records};
use super::tarball::Source;
use super::zip_member::ZipMember;
use super::{Archive, ArchiveError, Format, Inner, inner, zip};
use crate::stop::Stop;

/// The archive that is written.
#[derive(Clone, Copy, Debug)]
pub enum ArchivePath<'a> {
    /// What the path leads to.
    Named(&'a Path),
    /// The path itself, which has no links; one that took its place meanwhile is refused.
    Exact(&'a Path),
}

impl ArchivePath<'_> {
    fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Exact(path) => path,
        }
    }

    fn write(&self, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<Written, WriteError> {
        match self {
            Self::Named(path) => write_with(path, Mode::Keep, fill),
            Self::Exact(path) => write_exactly_with(path, Mode::Keep, fill),
        }
    }
}

/// Adds a member to an archive, or replaces one. The new one is written beside the old one and takes its place in
/// one step; a missing archive is made.
pub fn put(
    place: ArchivePath<'_>,
    format: Format,
    name: &Inner,
    content: &[u8],
    now: SystemTime,
    stop: &Stop,
) -> Result<Outcome, ArchiveError> {
    let path = place.path();
    let old = match File::open(path) {
        Ok(file) => {
            check_place(&Archive::open(path, format, stop)?, name)?;
            Some(file)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(ArchiveError::Io(error)),
    };
    let new = New { name, content, now, stop };
    let mut failure = None;
    let written = place.write(|file| {
        let result = match format {
            Format::Zip => new.zip(old.as_ref(), file),
            Format::Tar => new.tar(old.as_ref(), format, &mut BufWriter::new(file)),
            Format::TarGz => {
                let mut packed = GzEncoder::new(BufWriter::new(file), Compression::default());
                let result = new.tar(old.as_ref(), format, &mut packed);
                result.and_then(|()| Ok(packed.finish()?.flush()?))
            }
        };
        result.map_err(|error| match error {
            ArchiveError::Io(error) => error,
            other => {
                failure = Some(other);
                io::Error::other("cannot rewrite the archive")
            }
        })
    });
    match (failure, written) {
        (Some(failure), _) => Err(failure),
        (None, Ok(written)) => Ok(written.outcome),
        (None, Err(error)) => Err(ArchiveError::Write(error)),
    }
}

/// A name can be a file or a directory, not both. Of an archive that is damaged or too large this cannot be known.
fn check_place(archive: &Archive, name: &Inner) -> Result<(), ArchiveError> {
    let text = name.as_str();
    match archive.incomplete() {
        Some(Incomplete::Damaged(what)) => return Err(ArchiveError::Damaged(what.clone())),
        Some(Incomplete::Many) => {
            return Err(ArchiveError::Refused("the archive has too many members to be changed".to_owned()));
        }
        Some(Incomplete::Long) | None => {}
    }
    if matches!(archive.look(name), Lookup::Directory) {
        return Err(ArchiveError::Refused(format!(
            "'{text}' is a directory in the archive; specify a file in it"
        )));
    }
    for (slash, _) in text.match_indices('/') {
        let above = inner(&text[..slash]).unwrap_or_default();
        if let Lookup::Member(_) = archive.look(&above) {
            let above = above.as_str();
            return Err(ArchiveError::Refused(format!(
                "'{above}' is a file in the archive, not a directory"
            )));
        }
    }
    Ok(())
}

/// The member to be.
struct New<'a> {
    name: &'a Inner,
    content: &'a [u8],
    now: SystemTime,
    stop: &'a Stop,
}

impl New<'_> {
    fn is_called(&self, name: &str) -> bool {
        inner(name).is_some_and(|name| name == *self.name)
    }

    fn zip(&self, old: Option<&File>, to: &mut File) -> Result<(), ArchiveError> {
        let mut out = Counted { to: BufWriter::new(to), position: 0 };
        let Some(mut old) = old.map(File::try_clone).transpose()? else {
            let member = ZipMember::new(self.name.as_str(), None, self.content, self.now)?;
            out.write_all(&member.local)?;
            let table = vec![member.row(0)?];
            return finish(out, &table, 0, &[]);
        };
        let end = zip::end(&mut old)?;
        if end.large {
            return Err(ArchiveError::Refused(
                "zip64 archives (more than 65,535 members or 4 GB) cannot be changed; use zip".to_owned(),
            ));
        }
        let mut rows = Vec::new();
        let mut table = zip::Rows::new(&mut old, &end, self.stop)?;
        while let Some(row) = table.next()? {
            rows.push(row);
        }
        rows.sort_by_key(|row| row.header);
        let first = rows.first().map_or(end.start, |row| row.header);
        copy(&mut old, 0, first, &mut out, self.stop)?;
        let mut table = Vec::with_capacity(rows.len() + 1);
        let too_large = || ArchiveError::Refused("the archive would exceed 4 GB; use zip".to_owned());
        for (position, row) in rows.iter().enumerate() {
            if self.is_called(&row.name) {
                continue;
            }
            let next = rows.get(position + 1).map_or(end.start, |next| next.header);
            table.push(row.moved(out.position - end.base).ok_or_else(too_large)?);
            copy(&mut old, row.header, next, &mut out, self.stop)?;
        }
        let replaced = rows.iter().find(|row| self.is_called(&row.name));
        let member = ZipMember::new(self.name.as_str(), replaced, self.content, self.now)?;
        table.push(member.row(out.position - end.base)?);
        out.write_all(&member.local)?;
        finish(out, &table, end.base, &end.comment)
    }

    fn tar(&self, old: Option<&File>, format: Format, to: &mut dyn Write) -> Result<(), ArchiveError> {
        let mut placed = false;
        if let Some(old) = old {
            let mut records = Records::new(Source::open(old, format, self.stop)?);
            while let Some(record) = records.next()? {
                if record.header.entry_type() != EntryType::XGlobalHeader && self.is_called(&record.name) {
                    records.skip(&record)?;
                    // Links lead to members before them, so it stays where it was.
                    if !std::mem::replace(&mut placed, true) {
                        to.write_all(&self.tar_blocks(Some(&record))?)?;
                    }
                    continue;
                }
                to.write_all(&record.blocks)?;
                records.copy(&record, to)?;
            }
        }
        if !placed {
            to.write_all(&self.tar_blocks(None)?)?;
        }
        to.write_all(&[0; 1024])?;
        Ok(to.flush()?)
    }

    /// The member with the mode and owner of the one it replaces.
    fn tar_blocks(&self, replaced: Option<&Record>) -> io::Result<Vec<u8>> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(replaced.and_then(|old| old.header.mode().ok()).unwrap_or(0o644));
        header.set_uid(replaced.and_then(|old| old.header.uid().ok()).unwrap_or(0));
        header.set_gid(replaced.and_then(|old| old.header.gid().ok()).unwrap_or(0));
        header.set_mtime(self.now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()));
        header.set_size(self.content.len() as u64);
        let mut builder = Builder::new(Vec::new());
        builder.append_data(&mut header, self.name.as_str(), self.content)?;
        let mut blocks = builder.into_inner()?;
        // Without the mark of the end, which the caller writes.
        blocks.truncate(blocks.len().saturating_sub(1024));
        Ok(blocks)
    }
}

/// Knows how much was written.
struct Counted<W> {
    to: W,
    position: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn copy(from: &mut File, start: u64, end: u64, to: &mut impl Write, stop: &Stop) -> Result<(), ArchiveError> {
    let overlap = || ArchiveError::Damaged("its members overlap".to_owned());
    let length = end.checked_sub(start).ok_or_else(overlap)?;
    from.seek(SeekFrom::Start(start))?;
    let copied = io::copy(&mut stop.watch(from.take(length)), to)?;
    if copied < length { Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()) } else { Ok(()) }
}

fn finish(
    mut out: Counted<impl Write>,
    table: &[Vec<u8>],
    base: u64,
    comment: &[u8],
) -> Result<(), ArchiveError> {
    let start = out.position;
    for row in table {
        out.write_all(row)?;
    }
    let length = out.position - start;
    let record = zip::end_record(table.len(), length, start - base, comment).ok_or_else(|| {
        ArchiveError::Refused("the archive would exceed 65,535 members or 4 GB; use zip".to_owned())
    })?;
    out.write_all(&record)?;
    Ok(out.flush()?)
}
