//! The records of a tar file, each with the long names that stand before it.

use std::io::{self, Read};

use tar::{EntryType, Header, PaxExtensions};

use super::ArchiveError;

const BLOCK: usize = 512;
/// Names and attributes longer than this are no names.
const MAX_EXTENSION: u64 = 1 << 20;
/// What stands before one member altogether.
const MAX_BLOCKS: usize = 4 << 20;

/// A reader that can leave bytes out.
pub(super) trait Skip: Read {
    fn skip(&mut self, bytes: u64) -> io::Result<()>;
}

/// One member, as it is stored.
pub(super) struct Record {
    /// The blocks before the data: long names, the header, and what belongs to it.
    pub(super) blocks: Vec<u8>,
    pub(super) header: Header,
    pub(super) name: String,
    /// Bytes of data.
    pub(super) size: u64,
    /// Where the data begins.
    pub(super) position: u64,
    long_link: Option<Vec<u8>>,
}

impl Record {
    /// What a link leads to.
    pub(super) fn link(&self) -> Option<String> {
        let link =
            self.long_link.clone().or_else(|| self.header.link_name_bytes().map(|link| link.into_owned()));
        link.map(|link| text(&link))
    }

    /// The data with what fills its last block.
    pub(super) fn padded(&self) -> Result<u64, ArchiveError> {
        let blocks = self.size.checked_next_multiple_of(BLOCK as u64);
        blocks.ok_or_else(|| ArchiveError::Damaged("a member has an impossible size".to_owned()))
    }
}

/// Goes through a tar file. After each record its data must be read or skipped.
pub(super) struct Records<R> {
    pub(super) source: R,
    position: u64,
}

/// What the records before a member say about it.
#[derive(Default)]
struct Extensions {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
}

impl<R: Skip> Records<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, position: 0 }
    }

    /// The next record; `None` at the end of the archive.
    pub(super) fn next(&mut self) -> Result<Option<Record>, ArchiveError> {
        let mut blocks = Vec::new();
        let mut extensions = Extensions::default();
        loop {
            let Some(header) = self.header()? else { return Ok(None) };
            blocks.extend_from_slice(header.as_bytes());
            let kind = header.entry_type();
            let size = header.entry_size()?;
            if matches!(kind, EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader) {
                let data = self.extension(size, &mut blocks)?;
                extensions.take(kind, &data);
                if blocks.len() > MAX_BLOCKS {
                    return Err(impossible_name());
                }
                continue;
            }
            if header.as_gnu().is_some_and(|gnu| kind == EntryType::GNUSparse && gnu.is_extended()) {
                self.sparse_blocks(&mut blocks)?;
            }
            let name = extensions.name.unwrap_or_else(|| header.path_bytes().into_owned());
            let size = extensions.size.unwrap_or(size);
            let (name, long_link, position) = (text(&name), extensions.link, self.position);
            return Ok(Some(Record { blocks, header, name, size, position, long_link }));
        }
    }

    /// Leaves out the data of a record.
    pub(super) fn skip(&mut self, record: &Record) -> Result<(), ArchiveError> {
        let padded = record.padded()?;
        self.source.skip(padded)?;
        self.position = self.position.saturating_add(padded);
        Ok(())
    }

    /// Copies the data of a record.
    pub(super) fn copy(&mut self, record: &Record, to: &mut dyn io::Write) -> Result<(), ArchiveError> {
        let padded = record.padded()?;
        let copied = io::copy(&mut (&mut self.source).take(padded), to).map_err(ArchiveError::from)?;
        if copied < padded {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.position = self.position.saturating_add(padded);
        Ok(())
    }

    /// `None` where the archive ends, with or without its mark.
    fn header(&mut self) -> Result<Option<Header>, ArchiveError> {
        let mut block = [0; BLOCK];
        let mut length = 0;
        while length < BLOCK {
            match self.source.read(&mut block[length..])? {
                0 if length == 0 => return Ok(None),
                0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                more => length += more,
            }
        }
        self.position += BLOCK as u64;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let header = Header::from_byte_slice(&block).clone();
        let others = block[..148].iter().chain(&block[156..]);
        let sum = others.map(|byte| u32::from(*byte)).sum::<u32>() + 8 * u32::from(b' ');
        match header.cksum() {
            Ok(stored) if stored == sum => Ok(Some(header)),
            _ => Err(ArchiveError::Damaged("a header is damaged: truncated, or not a tar file".to_owned())),
        }
    }

    fn extension(&mut self, size: u64, blocks: &mut Vec<u8>) -> Result<Vec<u8>, ArchiveError> {
        if size > MAX_EXTENSION {
            return Err(impossible_name());
        }
        let padded = size.next_multiple_of(BLOCK as u64);
        let start = blocks.len();
        (&mut self.source).take(padded).read_to_end(blocks)?;
        if (blocks.len() - start) as u64 != padded {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.position += padded;
        let size = usize::try_from(size).unwrap_or_default();
        Ok(blocks[start..start + size].to_vec())
    }

    /// The map of a file with holes may continue behind its header.
    fn sparse_blocks(&mut self, blocks: &mut Vec<u8>) -> Result<(), ArchiveError> {
        const CONTINUES: usize = 504;
        loop {
            let mut block = [0; BLOCK];
            self.source.read_exact(&mut block)?;
            self.position += BLOCK as u64;
            blocks.extend_from_slice(&block);
            if block[CONTINUES] == 0 {
                return Ok(());
            }
            if blocks.len() as u64 > MAX_EXTENSION {
                return Err(ArchiveError::Damaged("a sparse file has too many holes".to_owned()));
            }
        }
    }
}

impl Extensions {
    fn take(&mut self, kind: EntryType, data: &[u8]) {
        let until_nul = || data.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        match kind {
            EntryType::GNULongName => self.name = Some(until_nul()),
            EntryType::GNULongLink => self.link = Some(until_nul()),
            _ => {
                for field in PaxExtensions::new(data).flatten() {
                    match field.key_bytes() {
                        b"path" => self.name = Some(field.value_bytes().to_vec()),
                        b"linkpath" => self.link = Some(field.value_bytes().to_vec()),
                        b"size" => self.size = field.value().ok().and_then(|size| size.parse().ok()),
                        _ => {}
                    }
                }
            }
        }
    }
}

fn impossible_name() -> ArchiveError {
    ArchiveError::Damaged("a member has an impossible name".to_owned())
}

fn text(bytes: &[u8]) -> String {
    omp_workspace::text::Charset::detect(bytes).decode(bytes)
}
