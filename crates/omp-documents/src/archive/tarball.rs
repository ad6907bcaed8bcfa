//! Tar files, packed with gzip or not.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;
use tar::EntryType;

use super::index::{Incomplete, Index, Member, MemberKind, MemberLocation};
use super::records::{Record, Records, Skip};
use super::{ArchiveError, Format};
use crate::stop::{Stop, Watched};

/// How much of a packed archive is looked through to find its members. Without a table of contents, everything must be
/// unpacked for that.
const MAX_UNPACKED: u64 = 1 << 30;

/// The unpacked bytes of an archive, from its start.
pub(super) enum Source {
    Plain { file: BufReader<Watched<File>>, length: u64 },
    Packed(Box<MultiGzDecoder<BufReader<Watched<File>>>>),
}

impl Source {
    pub(super) fn open(file: &File, format: Format, stop: &Stop) -> io::Result<Self> {
        let mut file = file.try_clone()?;
        let length = file.metadata()?.len();
        file.rewind()?;
        let file = BufReader::new(stop.watch(file));
        Ok(match format {
            Format::TarGz => Self::Packed(Box::new(MultiGzDecoder::new(file))),
            Format::Tar | Format::Zip => Self::Plain { file, length },
        })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain { file, .. } => file.read(buffer),
            Self::Packed(packed) => packed.read(buffer),
        }
    }
}

impl Skip for Source {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        match self {
            Self::Plain { file, length } => {
                let target = file.stream_position()?.saturating_add(bytes);
                if target > *length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                file.seek(SeekFrom::Start(target)).map(|_| ())
            }
            Self::Packed(packed) => {
                let skipped = io::copy(&mut packed.take(bytes), &mut io::sink())?;
                if skipped < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
            }
        }
    }
}

/// All members by name.
pub(super) fn index(file: &File, format: Format, stop: &Stop) -> Result<Index, ArchiveError> {
    let mut index = Index::default();
    let mut records = Records::new(Source::open(file, format, stop)?);
    match fill(&mut index, &mut records, format) {
        Ok(incomplete) => index.incomplete = incomplete,
        Err(error) if index.is_empty() => return Err(error),
        Err(error) => index.incomplete = Some(Incomplete::Damaged(error.damage()?)),
    }
    Ok(index)
}

fn fill(
    index: &mut Index,
    records: &mut Records<Source>,
    format: Format,
) -> Result<Option<Incomplete>, ArchiveError> {
    while let Some(record) = records.next()? {
        if index.is_full() {
            return Ok(Some(Incomplete::Many));
        }
        add(index, &record);
        let end = record.position.saturating_add(record.size);
        if format == Format::TarGz && end > MAX_UNPACKED {
            return Ok(Some(Incomplete::Long));
        }
        records.skip(&record)?;
    }
    Ok(None)
}

fn add(index: &mut Index, record: &Record) {
    let kind = match record.header.entry_type() {
        EntryType::Directory => MemberKind::Directory,
        EntryType::Symlink | EntryType::Link => MemberKind::Link(record.link()),
        // Old archives mark a directory by its name alone.
        EntryType::Regular | EntryType::Continuous if record.name.ends_with('/') => MemberKind::Directory,
        EntryType::Regular | EntryType::Continuous => MemberKind::File,
        EntryType::XGlobalHeader => return,
        _ => MemberKind::Special,
    };
    index.add(&record.name, kind, record.size, MemberLocation::Tar { data: record.position });
}

/// Hands the bytes of a member to `take`.
pub(super) fn read<T>(
    file: &File,
    format: Format,
    member: &Member,
    stop: &Stop,
    take: impl FnOnce(&mut dyn Read) -> io::Result<T>,
) -> Result<T, ArchiveError> {
    let MemberLocation::Tar { data } = member.place else {
        return Err(ArchiveError::Damaged("the member belongs to another archive".to_owned()));
    };
    let mut source = Source::open(file, format, stop)?;
    source.skip(data)?;
    Ok(take(&mut Exactly { source, left: member.size })?)
}

/// As many bytes as were promised, or an error.
struct Exactly<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Exactly<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = (&mut self.source).take(self.left).read(buffer)?;
        if length == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= length as u64;
        Ok(length)
    }
}
