//! What is read from files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use omp_config::Directories;
use omp_config::dotenv::{DotEnv, EnvFile, Trust};
use omp_config::settings::{Settings, Sources};
use omp_documents::Stop;
use omp_documents::archive::{Archive, Format, Inner};
use omp_documents::convert::{DocumentKind, convert_bytes};
use omp_plugins::marketplace::{Catalogue, is_name};
use omp_session::{fsck, header_of, load};

/// A directory of this process, in memory where there is a place for that.
static PLACE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let builder = || tempfile::Builder::new().prefix("omp-fuzz").to_owned();
    builder().tempdir_in("/dev/shm").or_else(|_| builder().tempdir()).expect("a directory")
});

fn file(name: &str, data: &[u8]) -> PathBuf {
    let path = PLACE.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("a directory");
    std::fs::write(&path, data).expect("a file");
    path
}

/// A session file: read, summarised, checked and continued.
pub(crate) fn session(data: &[u8]) {
    let path = file("session.jsonl", data);
    let _ = header_of(&path);
    if let Ok(Some(loaded)) = load(&path) {
        let _ = loaded.context();
        let leaf = loaded.leaf();
        assert!(loaded.path(leaf).len() <= loaded.entries().len());
        let _ = (loaded.transcript(leaf).len(), loaded.recent(leaf));
        let _ = fsck(&path, None);
    }
}

/// `config.yml`: it loads with warnings or is refused.
pub(crate) fn settings(data: &[u8]) {
    let home = PLACE.path().join("home");
    let variable = |name: &str| (name == "HOME").then(|| home.to_string_lossy().into_owned());
    let directories = Directories::resolve(variable).expect("directories");
    let config = directories.config_file();
    std::fs::create_dir_all(config.parent().unwrap_or(Path::new("/"))).expect("a directory");
    std::fs::write(&config, data).expect("a file");
    let _ = Settings::load(&Sources {
        directories: &directories,
        cwd: PLACE.path(),
        overlays: &[],
        overrides: serde_json::Map::new(),
        env: &|_| None,
        project_files: &|_| Vec::new(),
    });
}

/// `.env`.
pub(crate) fn dotenv(data: &[u8]) {
    let path = file(".env", data);
    let _ = DotEnv::load(&[EnvFile { path, trust: Trust::User }]);
}

/// `marketplace.json`: names stay names, and texts stay on their line.
pub(crate) fn catalogue(data: &[u8]) {
    let Ok(catalogue) = Catalogue::parse(data) else { return };
    assert!(is_name(&catalogue.name));
    for entry in &catalogue.plugins {
        assert!(is_name(&entry.name) && catalogue.entry(&entry.name).is_some());
        let texts = [&entry.description, &entry.version, &entry.category, &entry.author, &entry.homepage];
        assert!(texts.into_iter().flatten().all(|text| !text.contains(char::is_control)));
    }
    for name in catalogue.renames.keys() {
        let _ = catalogue.renamed(name);
    }
}

pub(crate) fn zip(data: &[u8]) {
    archive(data, "a.zip", &[Format::Zip]);
}

pub(crate) fn tar(data: &[u8]) {
    archive(data, "a.tar", &[Format::Tar, Format::TarGz]);
}

/// Members are listed and read as far as they go.
fn archive(data: &[u8], name: &str, formats: &[Format]) {
    let path = file(name, data);
    for format in formats {
        let Ok(archive) = Archive::open(&path, *format, &Stop::never()) else { continue };
        let root = Inner::default();
        let _ = (archive.incomplete(), archive.list(&root, 100));
        for member in archive.below(&root).take(20) {
            assert!(!member.name.split('/').any(|part| part == ".."), "{}", member.name);
            let take = |reader: &mut dyn Read| {
                let mut bytes = Vec::new();
                reader.take(1 << 16).read_to_end(&mut bytes)
            };
            let _ = archive.read(member, &Stop::never(), take);
        }
    }
}

/// Office documents, as each of the kinds.
pub(crate) fn office(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let kinds = ["docx", "xlsx", "pptx", "rtf", "pdf"];
    let extension = kinds[usize::from(*first) % kinds.len()];
    let kind = DocumentKind::with_extension(extension).expect("a kind");
    let _ = convert_bytes(rest.to_vec(), kind, &Stop::never());
}
