//! Making a snapshot.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use omp_types::ToolDefinition;
use serde_json::{Value, json};

use super::key::{self, OVERHEAD, ShareKey};
use super::trim::{SHORTEST, STEPS, Trim};
use crate::images::Images;
use crate::view::{Flow, SessionView, ViewError};

/// Entries are dropped from this many times the limit: compression makes less than that of most texts.
const COMPRESSION: usize = 8;

/// What a snapshot holds beside the session itself.
#[derive(Clone, Copy)]
pub struct ShareOptions<'a> {
    /// The instructions of the model, if they are known.
    pub system_prompt: Option<&'a str>,
    /// The tools the model has.
    pub tools: &'a [ToolDefinition],
    /// The directory where images are kept that are not in the session file.
    pub blobs: Option<&'a Path>,
    /// Replaces secrets in a text; `None` leaves it as it is.
    pub redact: &'a dyn Fn(&str) -> Option<String>,
}

impl Default for ShareOptions<'_> {
    fn default() -> Self {
        Self { system_prompt: None, tools: &[], blobs: None, redact: &|_| None }
    }
}

/// A snapshot, encrypted.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The nonce, then the encrypted and compressed JSON with its tag.
    pub bytes: Vec<u8>,
    /// What opens it.
    pub key: ShareKey,
    /// What was left out so that it fits. The user is to be told.
    pub trim: Trim,
}

/// The snapshot could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The session could not be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Trimming did not help.
    #[error(
        "cannot share the session: even its last entry alone exceeds the limit of {limit} bytes; export it \
         as a page instead"
    )]
    TooLarge {
        /// How many bytes fit.
        limit: usize,
    },
    /// The system gave no random numbers.
    #[error("cannot encrypt the snapshot: the system provides no random numbers")]
    Random,
}

/// Makes a snapshot of at most `limit` bytes and encrypts it.
pub fn seal(view: &SessionView<'_>, options: &ShareOptions<'_>, limit: usize) -> Result<Sealed, SealError> {
    let (packed, trim) = snapshot(view, options, limit.saturating_sub(OVERHEAD))?;
    let (key, bytes) = key::encrypt(packed).map_err(|_| SealError::Random)?;
    Ok(Sealed { bytes, key, trim })
}

/// Makes a snapshot of at most `limit` bytes: JSON, compressed with gzip, trimmed only as far as needed.
pub fn snapshot(
    view: &SessionView<'_>,
    options: &ShareOptions<'_>,
    limit: usize,
) -> Result<(Vec<u8>, Trim), SealError> {
    let maker = Maker { view, options, images: Images::new(options.blobs), limit };
    for trim in STEPS {
        if let Some(packed) = maker.whole(trim)? {
            return Ok((packed, trim));
        }
    }
    maker.newest()
}

struct Maker<'m> {
    view: &'m SessionView<'m>,
    options: &'m ShareOptions<'m>,
    images: Images,
    limit: usize,
}

impl Maker<'_> {
    /// All entries, trimmed; `None` as soon as it is clear that they do not fit.
    fn whole(&self, trim: Trim) -> Result<Option<Vec<u8>>, ViewError> {
        let mut packer = self.begin(trim);
        let mut last = Value::Null;
        self.view.values(|mut entry| {
            last = entry["id"].clone();
            trim.apply(&mut entry, &self.images, self.options.redact);
            packer.entry(entry.to_string().as_bytes());
            if packer.is_full() { Flow::Stop } else { Flow::On }
        })?;
        Ok(self.end(packer, trim, &last))
    }

    /// As many of the newest entries as fit, all as short as possible.
    fn newest(&self) -> Result<(Vec<u8>, Trim), SealError> {
        let (mut kept, mut size, mut count) = (VecDeque::new(), 0, 0);
        let mut last = Value::Null;
        self.view.values(|mut entry| {
            last = entry["id"].clone();
            SHORTEST.apply(&mut entry, &self.images, self.options.redact);
            let line = entry.to_string();
            (size, count) = (size + line.len(), count + 1);
            kept.push_back(line);
            while size > self.limit.saturating_mul(COMPRESSION) && kept.len() > 1 {
                size -= kept.pop_front().map_or(0, |line: String| line.len());
            }
            Flow::On
        })?;
        let too_large = SealError::TooLarge { limit: self.limit };
        // The fewest entries to drop, by halves: `low` is known to be too few.
        let pack = |dropped: usize| {
            let mut packer = self.begin(SHORTEST);
            for line in kept.iter().skip(dropped) {
                packer.entry(line.as_bytes());
                if packer.is_full() {
                    return None;
                }
            }
            self.end(packer, SHORTEST, &last)
        };
        let outside = count - kept.len();
        let (mut low, mut high) = (0, kept.len().saturating_sub(1));
        let mut best = pack(high).ok_or(too_large)?;
        while low < high {
            let middle = (low + high) / 2;
            match pack(middle) {
                Some(packed) => (best, high) = (packed, middle),
                None => low = middle + 1,
            }
        }
        Ok((best, Trim::Oldest(outside + high)))
    }

    fn begin(&self, trim: Trim) -> Packer {
        let mut header = Value::Object(self.view.header.clone());
        trim.apply(&mut header, &self.images, self.options.redact);
        let bounded = Bounded { bytes: Vec::new(), limit: self.limit, full: false };
        let mut packer = Packer { gzip: GzEncoder::new(bounded, Compression::default()), entries: 0 };
        packer.write(format!("{{\"header\":{header},\"entries\":[").as_bytes());
        packer
    }

    fn end(&self, mut packer: Packer, trim: Trim, last: &Value) -> Option<Vec<u8>> {
        let tools: Vec<Value> = self.options.tools.iter().map(tool).collect();
        let mut rest = json!({"systemPrompt": self.options.system_prompt, "tools": tools});
        trim.apply(&mut rest, &self.images, self.options.redact);
        let leaf = self.view.leaf.as_ref().map_or_else(|| last.clone(), |leaf| json!(leaf));
        let (prompt, tools) = (&rest["systemPrompt"], &rest["tools"]);
        packer.write(format!("],\"leafId\":{leaf},\"systemPrompt\":{prompt},\"tools\":{tools}}}").as_bytes());
        packer.finish()
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description})
}

/// Compresses what it is given, up to a limit.
struct Packer {
    gzip: GzEncoder<Bounded>,
    entries: usize,
}

impl Packer {
    fn entry(&mut self, line: &[u8]) {
        if self.entries > 0 {
            self.write(b",");
        }
        self.entries += 1;
        self.write(line);
    }

    fn write(&mut self, bytes: &[u8]) {
        // Writing into memory fails in no other way than by being full, which is remembered.
        let _ = self.gzip.write_all(bytes);
    }

    fn is_full(&self) -> bool {
        self.gzip.get_ref().full
    }

    fn finish(self) -> Option<Vec<u8>> {
        let bounded = self.gzip.finish().ok()?;
        (!bounded.full).then_some(bounded.bytes)
    }
}

/// Memory that takes no more than `limit` bytes.
struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
    full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.full |= bytes.len() > self.limit - self.bytes.len();
        if !self.full {
            self.bytes.extend_from_slice(bytes);
        }
        // What does not fit is swallowed, so that the compressor can continue until somebody looks.
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
