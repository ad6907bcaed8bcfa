//! `@file` in arguments and prompts: text and documents become part of the prompt, images become image blocks.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use omp_config::Directories;
use omp_documents::Stop;
use omp_documents::convert::{DocumentKind as Document, convert};
use omp_tools::Borders;
use omp_types::{ImageBlock, UserBlock};
use omp_workspace::image::{self, Fit};
use omp_workspace::open::OpenedPath;
use omp_workspace::path::Base;
use omp_workspace::sniff::{self, FileKind};

use crate::guard::file_borders::reading_borders;

/// Text of a file that is an argument of its own.
const MAX_TEXT: u64 = 5 * 1024 * 1024;
const MAX_IMAGE: u64 = 25 * 1024 * 1024;

/// Everything that was attached, in order.
pub struct Attached {
    /// The `<file>` blocks.
    pub text: String,
    /// Pictures, in the order in which they were named.
    pub images: Vec<UserBlock>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
    fit: Fit,
    max_text: u64,
    borders: Borders,
}

/// Reads all attachments. The first one that cannot be used ends it: a question about a missing file has no
/// answer.
pub fn read_attachments(
    paths: &[PathBuf],
    cwd: &Path,
    directories: &Directories,
    fit: Fit,
) -> Result<Attached, String> {
    let borders = if paths.is_empty() { Borders::default() } else { reading_borders(directories) };
    let mut attached = Attached::new(borders, fit, MAX_TEXT);
    for typed in paths {
        let path = resolve(typed, cwd, &directories.home);
        attached.add(&path)?;
    }
    Ok(attached)
}

/// Paths that are not text stay as they are; everything else may begin with `~` or be a `file://` URL.
pub(crate) fn resolve(typed: &Path, cwd: &Path, home: &Path) -> PathBuf {
    let base = Base { cwd, home: Some(home) };
    typed.to_str().and_then(|text| base.resolve(text).ok()).unwrap_or_else(|| cwd.join(typed))
}

impl Attached {
    pub(crate) fn new(borders: Borders, fit: Fit, max_text: u64) -> Self {
        let (text, images, warnings) = (String::new(), Vec::new(), Vec::new());
        Self { text, images, warnings, fit, max_text, borders }
    }

    pub(crate) fn add(&mut self, path: &Path) -> Result<(), String> {
        let shown = path.display();
        let (mut file, size) = match self.borders.open(path) {
            Ok(OpenedPath::File(file, metadata)) => (file, metadata.len()),
            Ok(OpenedPath::Directory) => {
                return Err(format!("cannot attach {shown}: it is a directory; name a file"));
            }
            Ok(OpenedPath::Special(special)) => {
                return Err(format!("cannot attach {shown}: it is {}", special.name()));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!("File not found: {shown}"));
            }
            Err(error) => return Err(format!("cannot read {shown}: {error}")),
        };
        if size == 0 {
            return Ok(());
        }
        if let Some(kind) = Document::of(path) {
            self.document(path, kind, size);
            return Ok(());
        }
        let head = read_head(&mut file).map_err(|error| format!("cannot read {shown}: {error}"))?;
        match sniff::kind(&head) {
            FileKind::Image(_) if size > MAX_IMAGE => self.skip(path, "too large", size),
            FileKind::Text(_) if size > self.max_text => self.skip(path, "too large", size),
            FileKind::Image(_) => self.image(path, rest(head, file, MAX_IMAGE)?, size),
            FileKind::Text(charset) => {
                let text = charset.decode(&rest(head, file, self.max_text)?);
                self.block(path, text.strip_suffix('\n').unwrap_or(&text));
            }
            FileKind::Sqlite => self.skip(path, "SQLite database", size),
            FileKind::Binary(name) => self.skip(path, name, size),
        }
        Ok(())
    }

    fn document(&mut self, path: &Path, kind: Document, size: u64) {
        match convert(path, kind, &Stop::never()) {
            Ok(text) if text.len() as u64 > self.max_text => self.skip(path, "too large", text.len() as u64),
            Ok(text) => self.block(path, text.trim_end()),
            Err(error) => {
                self.warnings.push(format!("Not sent: {}: {error}", path.display()));
                let kind = kind.extension();
                self.block(path, &format!("[Cannot read .{kind} file: {error} ({})]", human(size)));
            }
        }
    }

    fn image(&mut self, path: &Path, bytes: Vec<u8>, size: u64) {
        match image::load(bytes, self.fit) {
            Ok(loaded) => {
                let note = if loaded.sent == loaded.original {
                    String::new()
                } else {
                    let (from, to) = (loaded.original, loaded.sent);
                    format!(
                        "[image scaled from {}x{} to {}x{}]",
                        from.width, from.height, to.width, to.height
                    )
                };
                self.block(path, &note);
                let data = STANDARD.encode(&loaded.bytes);
                self.images.push(UserBlock::Image(ImageBlock {
                    data,
                    mime_type: loaded.mime.to_owned(),
                    detail: None,
                }));
            }
            Err(error) => {
                self.warnings.push(format!("Image not sent: {}: {error}", path.display()));
                self.block(path, &format!("(skipped: {error}, {})", human(size)));
            }
        }
    }

    fn skip(&mut self, path: &Path, why: &str, size: u64) {
        let reason = format!("(skipped: {why}, {})", human(size));
        self.warnings.push(format!("Not sent: {} {reason}", path.display()));
        self.block(path, &reason);
    }

    fn block(&mut self, path: &Path, content: &str) {
        if content.is_empty() {
            self.text.push_str(&format!("<file name=\"{}\"></file>\n", path.display()));
        } else {
            self.text.push_str(&format!("<file name=\"{}\">\n{content}\n</file>\n", path.display()));
        }
    }
}

fn read_head(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(sniff::HEAD);
    file.by_ref().take(sniff::HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn rest(head: Vec<u8>, file: File, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = head;
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read the attachment: {error}"))?;
    Ok(bytes)
}

fn human(bytes: u64) -> String {
    omp_workspace::tree::size(bytes)
}
