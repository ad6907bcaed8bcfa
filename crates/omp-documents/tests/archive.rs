//! Archives that are damaged, huge, odd or hostile.

#[path = "support/files.rs"]
mod files;

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use omp_documents::Stop;
use omp_documents::archive::{Archive, ArchiveError, ArchivePath, Format, Lookup, Member, inner, put};
use tempfile::TempDir;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

fn scratch(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (directory, path)
}

fn zip(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    files::zip_with(members, SimpleFileOptions::default().compression_method(method))
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    files::tar_with(members, 0o644, 0)
}

fn open(path: &Path) -> Result<Archive, ArchiveError> {
    Archive::open(path, Format::of(path.to_str().unwrap()).unwrap(), &Stop::never())
}

fn member<'a>(archive: &'a Archive, name: &str) -> &'a Member {
    match archive.look(&inner(name).unwrap()) {
        Lookup::Member(member) => member,
        other => panic!("{name}: {other:?}"),
    }
}

fn content(archive: &Archive, name: &str) -> Result<Vec<u8>, ArchiveError> {
    archive.read(member(archive, name), &Stop::never(), |source| {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map(|_| bytes)
    })
}

fn put_now(path: &Path, name: &str, content: &[u8]) -> Result<(), ArchiveError> {
    let format = Format::of(path.to_str().unwrap()).unwrap();
    let name = inner(name).unwrap();
    put(ArchivePath::Named(path), format, &name, content, SystemTime::UNIX_EPOCH, &Stop::never()).map(|_| ())
}

/// Every beginning of an archive is an error or a smaller archive, never more.
#[test]
fn archives_that_are_cut_off() {
    let text = vec![b'x'; 3000];
    let whole = tar(&[("a.txt", &text), ("b.txt", &text)]);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&whole).unwrap();
    let archives = [
        ("a.zip", zip(&[("a.txt", &text), ("b.txt", &text)], CompressionMethod::Deflated)),
        ("a.tar", whole),
        ("a.tgz", packed.finish().unwrap()),
    ];
    for (name, bytes) in archives {
        let (_directory, path) = scratch(name, &bytes);
        for length in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let cut = &bytes[..length];
            std::fs::write(&path, cut).unwrap();
            if let Ok(archive) = open(&path)
                && let Lookup::Member(_) = archive.look(&inner("b.txt").unwrap())
            {
                let read = content(&archive, "b.txt");
                assert!(read.as_ref().is_ok_and(|read| *read == text) || read.is_err(), "{name} {length}");
            }
            let written = put_now(&path, "c.txt", b"new");
            if written.is_err() {
                assert_eq!(
                    std::fs::read(&path).unwrap(),
                    cut,
                    "{name} {length}: a failed write changes nothing"
                );
            }
        }
    }
}

/// Ten gigabytes of zeros take ten megabytes; a window of them costs nothing.
#[test]
fn only_what_is_read_is_unpacked() {
    // A gigabyte of zeros, deflated by hand in pieces that a real program would make too.
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..64 {
        encoder.write_all(&zeros).unwrap();
    }
    let data = encoder.finish().unwrap();
    let bytes = stored_zip("bomb.txt", &data, 8, 10 << 30);
    let (_directory, path) = scratch("bomb.zip", &bytes);
    let archive = open(&path).unwrap();
    assert_eq!(member(&archive, "bomb.txt").size, 10 << 30, "the size is what the archive claims");
    let head = archive.read(member(&archive, "bomb.txt"), &Stop::never(), |source| {
        let mut head = [0; 10];
        source.read_exact(&mut head).map(|()| head)
    });
    assert_eq!(head.unwrap(), [b'0'; 10]);
    let all = archive.read(member(&archive, "bomb.txt"), &Stop::never(), |source| {
        std::io::copy(source, &mut std::io::sink())
    });
    assert!(matches!(all, Err(ArchiveError::Damaged(_))), "what the size claims is checked: {all:?}");
    let liar = stored_zip("small.txt", &data, 8, 10);
    std::fs::write(&path, liar).unwrap();
    let archive = open(&path).unwrap();
    let all = content(&archive, "small.txt").unwrap_err();
    assert!(all.to_string().contains("larger than the central directory says"), "{all}");
}

/// A zip file with one member, made by hand so that it can lie.
fn stored_zip(name: &str, data: &[u8], method: u16, size: u64) -> Vec<u8> {
    let flags = 0_u16;
    let mut bytes = Vec::new();
    bytes.extend(0x0403_4b50_u32.to_le_bytes());
    for field in [45, flags, method, 0, 0x21] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend([0; 12]);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(data);
    let start = bytes.len() as u32;
    bytes.extend(0x0201_4b50_u32.to_le_bytes());
    for field in [45, 45, flags, method, 0, 0x21] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(12_u16.to_le_bytes());
    bytes.extend([0; 14]);
    bytes.extend(name.as_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(8_u16.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    let length = bytes.len() as u32 - start;
    bytes.extend(0x0605_4b50_u32.to_le_bytes());
    for field in [0_u16, 0, 1, 1] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(length.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    bytes
}

/// Members that only another program can unpack are named, and survive a write.
#[test]
fn encrypted_members_are_refused_and_kept() {
    let mut bytes = zip(&[("secret.txt", b"0123456789"), ("open.txt", b"open")], CompressionMethod::Stored);
    let table = bytes.windows(4).position(|window| window == 0x0201_4b50_u32.to_le_bytes()).unwrap();
    bytes[6] |= 1;
    bytes[table + 8] |= 1;
    let (_directory, path) = scratch("a.zip", &bytes);
    let archive = open(&path).unwrap();
    assert!(matches!(content(&archive, "secret.txt"), Err(ArchiveError::Encrypted(_))));
    assert_eq!(content(&archive, "open.txt").unwrap(), b"open");
    put_now(&path, "new.txt", b"new").unwrap();
    let after = std::fs::read(&path).unwrap();
    assert_eq!(after[..table], bytes[..table], "what was there stays byte by byte");
    let archive = open(&path).unwrap();
    assert!(
        matches!(content(&archive, "secret.txt"), Err(ArchiveError::Encrypted(_))),
        "it is still encrypted"
    );
    assert_eq!(content(&archive, "new.txt").unwrap(), b"new");
}

/// A hundred thousand members of archive `name`, which `pack` makes.
fn very_many(name: &str, pack: impl Fn(&[(&str, &[u8])]) -> Vec<u8>) {
    let names: Vec<String> = (0..100_000).map(|number| format!("d{}/f{number}", number % 7)).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let (_directory, path) = scratch(name, &pack(&members));
    let archive = open(&path).unwrap();
    let listing = archive.list(&inner("").unwrap(), 500);
    assert_eq!((listing.children.len(), listing.total), (7, 7));
    assert_eq!(archive.list(&inner("d3").unwrap(), 500).children.len(), 500);
    assert_eq!(content(&archive, "d2/f99990").unwrap(), b"");
}

/// In the form that zip has for so many.
#[test]
fn very_many_members_of_a_zip() {
    very_many("many.zip", |members| zip(members, CompressionMethod::Stored));
}

#[test]
fn very_many_members_of_a_tar() {
    very_many("many.tar", tar);
}

/// Names from before UTF-8: shown in letters, found again, and kept as they are.
#[test]
fn names_in_old_encodings() {
    let mut bytes = zip(&[("caf_.txt", b"coffee"), ("b.txt", b"b")], CompressionMethod::Stored);
    let places: Vec<usize> =
        bytes.windows(8).enumerate().filter(|(_, name)| *name == b"caf_.txt").map(|(at, _)| at).collect();
    for at in &places {
        bytes[at + 3] = 0x82;
    }
    let (_directory, path) = scratch("a.zip", &bytes);
    let archive = open(&path).unwrap();
    let names: Vec<String> =
        archive.list(&inner("").unwrap(), 10).children.into_iter().map(|child| child.name).collect();
    assert_eq!(names, ["b.txt", "café.txt"]);
    assert_eq!(content(&archive, "café.txt").unwrap(), b"coffee");
    put_now(&path, "b.txt", b"changed").unwrap();
    let after = std::fs::read(&path).unwrap();
    assert_eq!(after.windows(8).filter(|name| *name == b"caf\x82.txt").count(), places.len());
    put_now(&path, "café.txt", b"tea").unwrap();
    let archive = open(&path).unwrap();
    assert_eq!(content(&archive, "café.txt").unwrap(), b"tea");
    assert_eq!(archive.list(&inner("").unwrap(), 10).total, 2, "the same member, not another one");
}

/// Long names, links, owners and the program before an archive survive a rewrite.
#[test]
fn odd_members_survive_a_write() {
    let long = format!("{}/file.txt", "directory".repeat(30));
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(4);
    header.set_mode(0o4755);
    header.set_uid(1234);
    builder.append_data(&mut header, &long, &b"long"[..]).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    builder.append_link(&mut header, "link", "a/b").unwrap();
    builder.append_pax_extensions([("comment", &b"kept"[..])]).unwrap();
    let mut header = tar::Header::new_ustar();
    header.set_size(3);
    header.set_path("last").unwrap();
    header.set_cksum();
    builder.append(&header, &b"end"[..]).unwrap();
    let bytes = builder.into_inner().unwrap();
    let (_directory, path) = scratch("a.tar", &bytes);
    put_now(&path, "new", b"new").unwrap();
    let after = std::fs::read(&path).unwrap();
    assert_eq!(after[..bytes.len() - 1024], bytes[..bytes.len() - 1024]);
    put_now(&path, &long, b"other").unwrap();
    let archive = open(&path).unwrap();
    assert_eq!(content(&archive, &long).unwrap(), b"other");
    assert_eq!(content(&archive, "last").unwrap(), b"end");

    let mut bytes = b"#!/bin/sh\nexec unzip\n".to_vec();
    let plain = zip(&[("a.txt", b"a"), ("b.txt", b"b")], CompressionMethod::Stored);
    bytes.extend(&plain);
    let (_directory, path) = scratch("self.zip", &bytes);
    assert_eq!(content(&open(&path).unwrap(), "b.txt").unwrap(), b"b");
    put_now(&path, "a.txt", b"changed").unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"#!/bin/sh\nexec unzip\n"));
    let archive = open(&path).unwrap();
    assert_eq!(
        (content(&archive, "a.txt").unwrap(), content(&archive, "b.txt").unwrap()),
        (b"changed".to_vec(), b"b".to_vec())
    );
}

/// The same name twice: the last one counts, as when it is unpacked, and a write leaves one.
#[test]
fn the_last_of_several_members_counts() {
    let (_directory, path) = scratch("a.tar", &tar(&[("x", b"first"), ("y", b"y"), ("x", b"second")]));
    assert_eq!(content(&open(&path).unwrap(), "x").unwrap(), b"second");
    put_now(&path, "x", b"third").unwrap();
    assert_eq!(content(&open(&path).unwrap(), "x").unwrap(), b"third");
    let mut archive = tar::Archive::new(File::open(&path).unwrap());
    assert_eq!(archive.entries().unwrap().count(), 2);
}

/// A tar file of ten gigabytes that are not there.
#[test]
fn large_members_are_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("big.tar");
    let mut file = File::create(&path).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_path("big.bin").unwrap();
    header.set_size(10 << 30);
    header.set_cksum();
    file.write_all(header.as_bytes()).unwrap();
    file.seek(SeekFrom::Current(10 << 30)).unwrap();
    file.write_all(&tar(&[("after.txt", b"after")])).unwrap();
    let archive = open(&path).unwrap();
    assert_eq!(content(&archive, "after.txt").unwrap(), b"after");
}

/// Whoever asks for an end gets it, and the archive stays.
#[test]
fn work_ends_when_it_is_asked_to() {
    let (_directory, path) = scratch("a.tar", &tar(&[("x", b"first")]));
    let before = std::fs::read(&path).unwrap();
    let stop = Stop::when(|| true);
    assert!(matches!(Archive::open(&path, Format::Tar, &stop), Err(ArchiveError::Stopped)));
    let written =
        put(ArchivePath::Named(&path), Format::Tar, &inner("y").unwrap(), b"y", SystemTime::now(), &stop);
    assert!(matches!(written, Err(ArchiveError::Stopped)), "{written:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// What is no archive says so.
#[test]
fn other_files_are_refused() {
    for (name, bytes) in
        [("a.zip", &b"hello"[..]), ("a.tar", &[b'x'; 2000]), ("a.tgz", b"hello"), ("b.zip", b"")]
    {
        let (_directory, path) = scratch(name, bytes);
        let error = open(&path).unwrap_err();
        assert!(matches!(error, ArchiveError::Damaged(_)), "{name}: {error:?}");
    }
    let (_directory, path) = scratch("empty.tar", &[0; 1024]);
    assert_eq!(open(&path).unwrap().list(&inner("").unwrap(), 1).total, 0);
}

/// Names upon names before a member: they would fill the memory, however small the archive is.
#[test]
fn a_member_has_not_endless_names() {
    let mut bytes = Vec::new();
    for _ in 0..8 {
        let mut header = tar::Header::new_gnu();
        header.set_path("././@LongLink").unwrap();
        header.set_entry_type(tar::EntryType::GNULongName);
        header.set_size(1 << 20);
        header.set_cksum();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend(vec![b'n'; 1 << 20]);
    }
    bytes.extend(tar(&[("x", b"x")]));
    let (_directory, path) = scratch("names.tar", &bytes);
    let error = open(&path).unwrap_err();
    assert!(error.to_string().contains("a member has an impossible name"), "{error}");
}

/// A link leads to a member before it, so a member that is replaced keeps its place.
#[test]
fn links_to_a_replaced_member_still_lead_to_it() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(3);
    header.set_mode(0o640);
    builder.append_data(&mut header, "a.txt", &b"old"[..]).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Link);
    header.set_size(0);
    builder.append_link(&mut header, "b.txt", "a.txt").unwrap();
    let (directory, path) = scratch("a.tar", &builder.into_inner().unwrap());
    put_now(&path, "a.txt", b"new content").unwrap();
    let out = directory.path().join("out");
    tar::Archive::new(File::open(&path).unwrap()).unpack(&out).unwrap();
    assert_eq!(std::fs::read(out.join("b.txt")).unwrap(), b"new content");
    put_now(&path, "c.txt", b"last").unwrap();
    let mut archive = tar::Archive::new(File::open(&path).unwrap());
    let names = archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().into_owned());
    assert_eq!(names.collect::<Vec<_>>(), ["a.txt", "b.txt", "c.txt"].map(PathBuf::from));
}

/// Programs that know no large archives write the lower bits of the count. A write must not lose the others.
#[test]
fn members_that_are_not_counted_are_members() {
    let mut bytes = zip(&[("a", b"1"), ("b", b"2"), ("c", b"3")], CompressionMethod::Stored);
    let end = bytes.len() - 22;
    assert_eq!(bytes[end..end + 4], *b"PK\x05\x06");
    for at in [end + 8, end + 10] {
        bytes[at] = 1;
    }
    let (_directory, path) = scratch("a.zip", &bytes);
    assert_eq!(content(&open(&path).unwrap(), "c").unwrap(), b"3");
    put_now(&path, "a", b"one").unwrap();
    let archive = open(&path).unwrap();
    for (name, expected) in [("a", "one"), ("b", "2"), ("c", "3")] {
        assert_eq!(content(&archive, name).unwrap(), expected.as_bytes());
    }
}
