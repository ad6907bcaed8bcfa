//! Compiled files on disk, by the hash of everything that decides what they become.
//!
//! A file is its head (one line of JSON), and the code. Its own hash is in the head: whatever is damaged counts as absent.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::map::SourceMap;
use super::{Compiled, Hint, ModuleKind, Request};

/// Changes when the same source becomes something else.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");

pub(super) struct Cache {
    directory: PathBuf,
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn hash(bytes: &[u8]) -> String {
    hex(&digest(&SHA256, bytes).as_ref()[..20])
}

impl Cache {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub(super) fn key(&self, path: &Path, source: &str, hint: Hint) -> String {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        hash(format!("{VERSION}\0{extension}\0{hint:?}\0{source}").as_bytes())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.js"))
    }

    pub(super) fn map_path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.map"))
    }

    pub(super) fn read(&self, key: &str) -> Option<Compiled> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let (head, code) = text.split_once('\n')?;
        let head: Value = serde_json::from_str(head).ok()?;
        if head.get("hash")?.as_str()? != hash(code.as_bytes()) {
            return None;
        }
        let kind = match head.get("kind")?.as_str()? {
            "es" => ModuleKind::Es,
            "cjs" => ModuleKind::CommonJs,
            _ => return None,
        };
        let types = head.get("types")?.as_array()?;
        let types = types.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        Some(Compiled { kind, code: code.to_owned(), types })
    }

    /// What a file asks for, so that a scan need not read its syntax again.
    pub(super) fn read_requests(&self, key: &str) -> Option<Vec<Request>> {
        let text = std::fs::read_to_string(self.directory.join(format!("{key}.imports"))).ok()?;
        let list: Vec<(String, Vec<String>)> = serde_json::from_str(&text).ok()?;
        Some(list.into_iter().map(|(specifier, names)| Request { specifier, names }).collect())
    }

    pub(super) fn write_requests(&self, key: &str, requests: &[Request]) {
        let list: Vec<Value> = requests.iter().map(|one| json!([one.specifier, one.names])).collect();
        let _ = self.put(&self.directory.join(format!("{key}.imports")), json!(list).to_string().as_bytes());
    }

    /// What cannot be kept is compiled again the next time.
    pub(super) fn write(&self, key: &str, compiled: &Compiled, map: &SourceMap) {
        let kind = match compiled.kind {
            ModuleKind::Es => "es",
            ModuleKind::CommonJs => "cjs",
        };
        let head = json!({ "kind": kind, "types": compiled.types, "hash": hash(compiled.code.as_bytes()) });
        let file = format!("{head}\n{}", compiled.code);
        // The map first: whoever finds the code expects it.
        let _ = self.put(&self.map_path(key), &map.to_bytes());
        let _ = self.put(&self.path(key), file.as_bytes());
    }

    fn put(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        let unlikely = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}.{}.{}", path.display(), std::process::id(), unlikely.as_nanos());
        let written = std::fs::OpenOptions::new().write(true).create_new(true).open(&name);
        let written =
            written.and_then(|mut file| file.write_all(bytes)).and_then(|()| std::fs::rename(&name, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&name);
        }
        written
    }
}
