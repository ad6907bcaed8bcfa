//! What a PDF could do to its reader, found before it can.
//!
//! The library unpacks streams without a bound and follows forms that draw each other by recursion. Both are looked for
//! here, and refused or emptied.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::ZlibDecoder;
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

use super::{ConvertError, unreadable};
use crate::stop::Stop;

/// Unpacked bytes of one stream, and of all.
const MAX_STREAM: u64 = 128 << 20;
const MAX_STREAMS: u64 = 1 << 30;
/// LZW can grow this much.
const LZW_RATIO: u64 = 2_700;
/// Forms inside forms, and drawings that a form comes to.
const MAX_DEPTH: usize = 32;
const MAX_DRAWN: u64 = 10_000;

/// Refuses a file whose streams would fill the memory, before anything is unpacked.
pub(super) fn packed_streams(bytes: &[u8], stop: &Stop) -> Result<(), ConvertError> {
    const WORD: &[u8] = b"stream";
    let mut total = 0;
    let mut rest = bytes;
    while let Some(at) = rest.windows(WORD.len()).position(|window| window == WORD) {
        rest = &rest[at + WORD.len()..];
        if stop.is_asked() {
            return Err(ConvertError::Stopped);
        }
        let data = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
        // Packed data begins with one of few bytes.
        let Some(data) = data.filter(|data| data.first().is_some_and(|first| first & 0x0f == 8)) else {
            continue;
        };
        total += unpacked(data, stop)?;
        if total > MAX_STREAMS {
            return Err(too_much());
        }
    }
    Ok(())
}

fn too_much() -> ConvertError {
    unreadable("it would unpack to more than a gigabyte")
}

/// How many bytes packed data comes to.
fn unpacked(data: &[u8], stop: &Stop) -> Result<u64, ConvertError> {
    let mut decoder = ZlibDecoder::new(data);
    let mut buffer = [0; 16 * 1024];
    let mut total = 0;
    // What is broken ends here, and will end there.
    while let Ok(length @ 1..) = decoder.read(&mut buffer) {
        total += length as u64;
        if total > MAX_STREAM {
            return Err(too_much());
        }
        if stop.is_asked() {
            return Err(ConvertError::Stopped);
        }
    }
    Ok(total)
}

/// Empties streams that are packed in dangerous ways, and forms that draw themselves.
pub(super) fn disarm(document: &mut Document, stop: &Stop) -> Result<(), ConvertError> {
    let mut emptied = Vec::new();
    for (id, object) in &document.objects {
        let Object::Stream(stream) = object else { continue };
        if is_dangerous(stream, stop)? {
            emptied.push(*id);
        }
    }
    emptied.extend(Forms::of(document).endless());
    for id in emptied {
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id) {
            stream.dict.remove(b"Filter");
            stream.set_content(Vec::new());
        }
    }
    Ok(())
}

fn is_dangerous(stream: &Stream, stop: &Stop) -> Result<bool, ConvertError> {
    let filters = match stream.dict.get(b"Filter") {
        Ok(Object::Name(name)) => vec![name.as_slice()],
        Ok(Object::Array(names)) => names.iter().filter_map(|name| name.as_name().ok()).collect(),
        _ => Vec::new(),
    };
    let packs = |name: &&&[u8]| matches!(**name, b"FlateDecode" | b"Fl" | b"LZWDecode" | b"LZW");
    let packed: Vec<&&[u8]> = filters.iter().filter(packs).collect();
    match packed.as_slice() {
        [] => Ok(false),
        [one] if one.starts_with(b"LZW") => Ok(stream.content.len() as u64 * LZW_RATIO > MAX_STREAMS),
        // After decryption the streams are others than those in the file.
        [_] if filters.len() == 1 => unpacked(&stream.content, stop).map(|_| false),
        _ => Ok(stream.content.len() as u64 * LZW_RATIO > MAX_STREAMS || packed.len() > 1),
    }
}

/// Which forms draw which.
struct Forms {
    draws: BTreeMap<ObjectId, Vec<ObjectId>>,
    /// Forms that use what their page has, and draw something.
    open: Vec<ObjectId>,
}

impl Forms {
    fn of(document: &Document) -> Self {
        let mut forms = Self { draws: BTreeMap::new(), open: Vec::new() };
        for (id, object) in &document.objects {
            let Object::Stream(stream) = object else { continue };
            if stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name != b"Form") {
                continue;
            }
            let resources = stream.dict.get(b"Resources").ok().and_then(|found| dictionary(document, found));
            let drawn = resources.and_then(|resources| dictionary(document, resources.get(b"XObject").ok()?));
            match (resources, drawn) {
                (Some(_), Some(drawn)) => {
                    let ids = drawn.iter().filter_map(|(_, object)| object.as_reference().ok());
                    forms.draws.insert(*id, ids.collect());
                }
                (Some(_), None) => {}
                (None, _) => forms.open.push(*id),
            }
        }
        forms.open.retain(|id| document.objects.get(id).is_some_and(draws_something));
        forms
    }

    /// Forms that come to too many drawings, or to themselves.
    fn endless(self) -> Vec<ObjectId> {
        let mut counts = BTreeMap::new();
        for id in self.draws.keys() {
            self.count(*id, 0, &mut counts);
        }
        let many = counts.into_iter().filter(|(_, count)| *count > MAX_DRAWN).map(|(id, _)| id);
        many.chain(self.open.iter().copied()).collect()
    }

    fn count(&self, id: ObjectId, depth: usize, counts: &mut BTreeMap<ObjectId, u64>) -> u64 {
        if let Some(count) = counts.get(&id) {
            return *count;
        }
        if depth > MAX_DEPTH {
            return MAX_DRAWN + 1;
        }
        // Whoever comes back here meanwhile has come around.
        counts.insert(id, MAX_DRAWN + 1);
        let below = self.draws.get(&id).into_iter().flatten();
        let count = below.fold(1_u64, |sum, id| sum.saturating_add(self.count(*id, depth + 1, counts)));
        counts.insert(id, count);
        count
    }
}

fn dictionary<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Dictionary> {
    document.dereference(object).ok().and_then(|(_, object)| object.as_dict().ok())
}

fn draws_something(object: &Object) -> bool {
    let Object::Stream(stream) = object else { return false };
    let is_form = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Form");
    let content = stream.decompressed_content().unwrap_or_else(|_| stream.content.clone());
    is_form && content.windows(2).any(|pair| pair == b"Do")
}
