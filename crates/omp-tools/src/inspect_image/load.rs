//! The picture that is meant, in the form in which it is sent.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use omp_agent::ToolError;
use omp_workspace::image::{MAX_INPUT_BYTES, ladder};
use omp_workspace::open::OpenedPath;
use omp_workspace::sniff::ImageKind;
use omp_workspace::tree::size;

use crate::Context;
use crate::read::{explain, spelled};

/// A picture to send.
pub(super) struct Picture {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) mime: &'static str,
}

/// Reads the picture and makes it small, unless the user wants it whole. One that cannot be decoded is sent as it is:
/// the provider may know more about it, and nothing but this one answer depends on it.
pub(super) fn load(context: &Context, typed: &str) -> Result<Picture, ToolError> {
    let path = find(context, typed)?;
    let (file, length) = open_file(context, &path)?;
    let failed = |error: io::Error| explain(context, &path, &error);
    let mut head = [0; 32];
    let mut file = io::BufReader::new(file);
    let read = read_up_to(&mut file, &mut head).map_err(failed)?;
    let kind = accepted(&head[..read])?;
    if length > MAX_INPUT_BYTES {
        return Err(too_large(length));
    }
    let mut bytes = head[..read].to_vec();
    // The file may grow while it is read.
    file.take(MAX_INPUT_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    let (bytes, kind) = match context.settings.images.resize {
        true => ladder::small(bytes.clone()).unwrap_or((bytes, kind)),
        false => (bytes, kind),
    };
    Ok(Picture { path, bytes, mime: kind.mime() })
}

/// The file, in whatever spelling it has.
fn find(context: &Context, typed: &str) -> Result<PathBuf, ToolError> {
    if omp_web::address::is_web(typed) {
        return Err(ToolError::new(
            "inspect_image reads files, not URLs. Download the image first, then pass its path.",
        ));
    }
    let path = context.file(typed)?;
    Ok(spelled(&path).unwrap_or(path))
}

fn open_file(context: &Context, path: &std::path::Path) -> Result<(File, u64), ToolError> {
    match context.open(path) {
        Ok(OpenedPath::File(file, metadata)) => Ok((file, metadata.len())),
        Ok(OpenedPath::Directory | OpenedPath::Special(_)) => Err(unsupported()),
        Err(error) => Err(explain(context, path, &error)),
    }
}

fn read_up_to(file: &mut impl Read, head: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < head.len() {
        match file.read(&mut head[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn accepted(head: &[u8]) -> Result<ImageKind, ToolError> {
    ImageKind::detect(head).filter(|kind| *kind != ImageKind::Bmp).ok_or_else(unsupported)
}

fn unsupported() -> ToolError {
    ToolError::new("inspect_image only supports PNG, JPEG, GIF, and WEBP files detected by file content.")
}

fn too_large(length: u64) -> ToolError {
    let (size, limit) = (size(length), size(MAX_INPUT_BYTES));
    ToolError::new(format!("Image file too large: {size} exceeds {limit} limit."))
}
