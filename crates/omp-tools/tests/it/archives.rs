//! Archives: members are read, searched and written without unpacking anything.

use std::io::{Cursor, Read, Write};
use std::os::unix::fs::PermissionsExt;

use crate::support::files::{tar_with, zip_with};
use crate::support::session::Session;
use crate::support::{Project, invocation, meta, numbered, text};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use zip::write::SimpleFileOptions;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\xff\xfe";

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(members, SimpleFileOptions::default().unix_permissions(0o750))
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    tar_with(members, 0o750, 1_000_000)
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The same members in every kind of archive.
fn everywhere(members: &[(&str, &[u8])]) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.zip", zip(members)),
        ("a.tar", tar(members)),
        ("a.tar.gz", gz(&tar(members))),
        ("a.tgz", gz(&tar(members))),
    ]
}

/// What another program finds in an archive, in order.
fn unpacked(name: &str, bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let all = |mut reader: Box<dyn Read>| {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        bytes
    };
    if name.ends_with(".zip") {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let members = (0..archive.len()).map(|index| {
            let mut member = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            member.read_to_end(&mut content).unwrap();
            (member.name().unwrap().into_owned(), content)
        });
        return members.collect();
    }
    let bytes = match name.ends_with("gz") {
        true => all(Box::new(flate2::read::GzDecoder::new(Cursor::new(bytes)))),
        false => bytes,
    };
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let members = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), content)
    });
    members.collect()
}

/// Archives, members, and ranges of members.
///
/// proves: FIL-049, FIL-053
#[tokio::test]
async fn members_are_read_as_files_are() {
    let lines = numbered(1000);
    for (name, bytes) in everywhere(&[("top.txt", b"hello\n"), ("src/deep/lines.txt", lines.as_bytes())]) {
        let project = Project::new();
        project.file(name, bytes);
        project.file("lines.txt", &lines);
        assert_eq!(project.read(name).await, "src/\ntop.txt (6B)", "{name}");
        assert_eq!(project.read(&format!("{name}:src")).await, "deep/", "{name}");
        assert_eq!(project.read(&format!("{name}:top.txt")).await, "hello", "{name}");
        for selector in ["", ":900-905", ":raw:5-6", ":5-6,990-", ":2000"] {
            let inside = project.read(&format!("{name}:src/deep/lines.txt{selector}")).await;
            assert_eq!(inside, project.read(&format!("lines.txt{selector}")).await, "{name} {selector}");
        }
        let output = project.read_output(&format!("{name}:top.txt")).await;
        assert_eq!(meta(&output)["source"]["value"], project.path().join(name).to_str().unwrap());
    }
    let session = Session::new();
    session.project.file("a.zip", zip(&[("x.txt", b"a\nb\nc\nd\ne\nf\n")]));
    let shown = session.read("a.zip:x.txt:2-2").await;
    assert_eq!(
        shown.lines().next(),
        Some("1|a"),
        "numbered, and without a tag that no edit could use: {shown}"
    );
}

/// proves: FIL-050
#[tokio::test]
async fn listings_show_children_and_sizes_up_to_a_limit() {
    let names: Vec<String> = (0..600).map(|number| format!("many/f{number:03}")).collect();
    let mut members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    members.extend([("empty", &b""[..]), ("big.bin", &[7; 5000]), ("implicit/dir/f", b"1")]);
    for (name, bytes) in everywhere(&members) {
        let project = Project::new();
        project.file(name, bytes);
        assert_eq!(project.read(name).await, "big.bin (4.9KB)\nempty\nimplicit/\nmany/", "{name}");
        let output = project.read_output(&format!("{name}:many/")).await;
        let shown = text(&output);
        assert_eq!(shown.lines().filter(|line| line.ends_with("(1B)")).count(), 500, "{shown}");
        assert!(shown.ends_with("[500 of 600 entries shown. Use :501 to continue]"), "{shown}");
        let rest = project.read(&format!("{name}:many:501")).await;
        assert!(rest.starts_with("f500 (1B)\n") && rest.lines().count() > 99, "{rest}");
        assert!(rest.contains("\nf599 (1B)") && !rest.contains("to continue"), "{rest}");
        let beyond = project.read(&format!("{name}:many:900")).await;
        assert_eq!(beyond, "[0 of 600 entries shown. Use :1 to read from the start]");
        assert_eq!(meta(&output)["limits"]["resultLimit"]["reached"], 500);
        assert_eq!(output.details.unwrap()["isDirectory"], true);
        assert_eq!(project.read(&format!("{name}:many:2-3")).await.lines().next(), Some("f001 (1B)"));
    }
}

/// proves: FIL-051
#[tokio::test]
async fn inner_paths_are_normalised_and_stay_inside() {
    let project = Project::new();
    project.file("x", "outside");
    project.file("a.zip", zip(&[("dir/f.txt", b"inside\n")]));
    for inner in ["dir/f.txt", "./dir/./f.txt", "/dir//f.txt", "dir\\f.txt"] {
        assert_eq!(project.read(&format!("a.zip:{inner}")).await, "inside", "{inner}");
    }
    for inner in ["../x", "dir/../dir/f.txt", "dir/..", "../x:1-2"] {
        let error = project.read_error(&format!("a.zip:{inner}")).await;
        assert_eq!(error, "Archive path cannot contain '..'", "{inner}");
    }
    let error = project.read_error("a.zip:dir/g.txt").await;
    assert_eq!(error, "'dir/g.txt' not found in a.zip. Read a.zip:dir to list its contents.");
}

/// proves: FIL-052
#[tokio::test]
async fn members_that_are_no_text_get_a_notice() {
    let latin = b"caf\xe9 is not UTF-8";
    for (name, bytes) in everywhere(&[("p.png", PNG), ("latin.txt", latin), ("nul.txt", b"a\0b")]) {
        let project = Project::new();
        project.file(name, bytes);
        for (member, size) in [("p.png", "22B"), ("latin.txt", "17B"), ("nul.txt", "3B")] {
            let output = project.read_output(&format!("{name}:{member}")).await;
            assert_eq!(text(&output), format!("[Cannot read binary archive entry '{member}' ({size})]"));
            assert_eq!(output.content.len(), 1);
        }
    }
}

/// An existing name wins over what its colons could mean, and directories are no containers.
///
/// proves: FIL-026
#[tokio::test]
async fn archives_come_before_databases_before_paths() {
    let project = Project::new();
    project.file("x.db/inside.txt", "in a directory");
    assert!(project.read("x.db").await.contains("inside.txt"), "a directory is listed");
    project.file("y.zip", zip(&[("t.db:rows", b"a member\n"), ("t.db", b"no database\n")]));
    assert_eq!(project.read("y.zip").await, "t.db (12B)\nt.db:rows (9B)", "a file is an archive");
    assert_eq!(project.read("y.zip:t.db:rows").await, "a member", "an archive comes first");
    project.file("y.zip:t.db", "a file with a colon\n");
    assert_eq!(project.read("y.zip:t.db").await, "a file with a colon");
    let connection = rusqlite::Connection::open(project.path().join("z.zip.db")).unwrap();
    connection.execute_batch("CREATE TABLE rows (a)").unwrap();
    assert!(
        project.read("z.zip.db:rows").await.contains("CREATE TABLE rows"),
        "a database comes before a path"
    );
    let error = project.read_error("skill://y.zip:t").await;
    assert!(!error.contains("not found in y.zip"), "an internal URL comes before an archive: {error}");
    let error = project.read_error("http://127.0.0.1:1/y.zip:t").await;
    assert!(!error.contains("not found in"), "a web address comes first: {error}");
}

/// An archive or a database that lies elsewhere in the project is found by its name.
#[tokio::test]
async fn containers_are_found_elsewhere() {
    let project = Project::new();
    project.file("build/out/only.zip", zip(&[("f.txt", b"found\n")]));
    let output = project.read_output("only.zip:f.txt").await;
    assert_eq!(
        text(&output),
        "[Path 'only.zip' not found; resolved to 'build/out/only.zip' via suffix match]\nfound"
    );
    assert_eq!(output.details.unwrap()["suffixResolution"]["to"], "build/out/only.zip");
    let connection = rusqlite::Connection::open(project.path().join("build/only.db")).unwrap();
    connection.execute_batch("CREATE TABLE t (a)").unwrap();
    assert!(
        project
            .read("only.db:t")
            .await
            .contains("resolved to 'build/only.db' via suffix match]\nCREATE TABLE t")
    );
}

/// Names that lead out of an archive, links, and members that are no files.
#[tokio::test]
async fn nothing_leads_out_of_an_archive() {
    let project = Project::new();
    project.file("secret.txt", "secret");
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    header.set_mode(0o777);
    builder.append_link(&mut header, "link", "../secret.txt").unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(2);
    header.set_mode(0o644);
    header.as_old_mut().name[..8].copy_from_slice(b"../../up");
    header.set_cksum();
    builder.append(&header, &b"up"[..]).unwrap();
    project.file("a.tar", builder.into_inner().unwrap());
    let shown = project.read("a.tar").await;
    assert!(shown.starts_with("link -> ../secret.txt\n"), "{shown}");
    assert!(shown.contains("[Skipped: 1 member whose path leads out"), "{shown}");
    let error = project.read_error("a.tar:link").await;
    assert!(error.contains("is a link to '../secret.txt'") && !error.contains("secret\n"), "{error}");
}

/// proves: FIL-229
#[tokio::test]
async fn members_are_searched() {
    let project = Project::new();
    project.file(
        "a.zip",
        zip(&[("src/one.rs", b"fn a() {}\nlet needle = 1;\n"), ("p.png", PNG), ("two.txt", b"x\nneedle\n")]),
    );
    let search = async |paths: serde_json::Value| {
        project.call("search", json!({ "pattern": "needle|PNG", "paths": paths })).await
    };
    let alone = text(&search(json!("a.zip:src/one.rs")).await.unwrap());
    assert!(alone.contains("*2|let needle = 1;"), "{alone}");
    let several = search(json!(["a.zip:src/one.rs", "a.zip:two.txt", "a.zip:p.png"])).await.unwrap();
    let shown = text(&several);
    assert!(shown.contains("# a.zip:src/one.rs\n") && shown.contains("# a.zip:two.txt\n"), "{shown}");
    assert!(shown.contains("Skipped unreadable archive members: a.zip:p.png (binary)"), "{shown}");
    assert_eq!(several.details.unwrap()["files"], json!(["a.zip:src/one.rs", "a.zip:two.txt"]));
    let whole = text(&search(json!("a.zip")).await.unwrap());
    assert!(whole.contains("# a.zip:src/one.rs\n") && whole.contains("# a.zip:two.txt\n"), "{whole}");
    let ranged = text(&search(json!("a.zip:two.txt:1-1")).await.unwrap());
    assert_eq!(ranged, "No matches found");
    let error = search(json!(["a.zip:p.png"])).await.unwrap_err().message;
    assert_eq!(error, "Cannot search archive member(s): a.zip:p.png (binary)");
}

/// proves: FIL-094
#[tokio::test]
async fn a_member_is_added_or_replaced_and_the_others_survive() {
    let members: [(&str, &[u8]); 3] = [("bin.dat", PNG), ("src/a.txt", b"old\n"), ("last.txt", b"last\n")];
    for (name, bytes) in everywhere(&members) {
        let project = Project::new();
        let path = project.file(name, bytes);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let write = async |inner: &str, content: &str| {
            let output =
                project.call("write", json!({ "path": format!("{name}:{inner}"), "content": content })).await;
            let output = output.unwrap();
            assert_eq!(output.details, Some(json!({})));
            text(&output)
        };
        assert_eq!(
            write("src/a.txt", "new é\n").await,
            format!("Successfully wrote 6 bytes to {name}:src/a.txt")
        );
        assert_eq!(
            write("./added/b.txt", "b").await,
            format!("Successfully wrote 1 bytes to {name}:added/b.txt")
        );
        let mut found = unpacked(name, project.content(name));
        found.sort();
        let expected = [
            ("added/b.txt", &b"b"[..]),
            ("bin.dat", PNG),
            ("last.txt", b"last\n"),
            ("src/a.txt", "new é\n".as_bytes()),
        ];
        assert_eq!(found, expected.map(|(name, content)| (name.to_owned(), content.to_vec())), "{name}");
        assert_eq!(project.read(&format!("{name}:src/a.txt")).await, "new é");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
    for name in ["new/deep/n.zip", "new/n.tar", "new/n.tar.gz", "n.tgz"] {
        let project = Project::new();
        let path = format!("{name}:dir/f.txt");
        let written = project.call("write", json!({ "path": path, "content": "made\n" })).await.unwrap();
        assert_eq!(text(&written), format!("Successfully wrote 5 bytes to {path}"));
        assert_eq!(unpacked(name, project.content(name)), [("dir/f.txt".to_owned(), b"made\n".to_vec())]);
    }
}

/// proves: FIL-095
#[tokio::test]
async fn bad_paths_into_archives_change_nothing() {
    let project = Project::new();
    let bytes = zip(&[("dir/f.txt", b"x")]);
    project.file("a.zip", &bytes);
    let error = async |path: &str| {
        let call = project.call("write", json!({ "path": path, "content": "y" })).await;
        call.unwrap_err().message
    };
    for path in ["a.zip", "a.zip:", "a.zip:/", "new.zip", "a.zip:."] {
        assert_eq!(error(path).await, "Archive write path must target a file inside the archive", "{path}");
    }
    assert_eq!(error("a.zip:dir/").await, "Archive write path must target a file, not a directory");
    assert_eq!(error("a.zip:../x").await, "Archive path cannot contain '..'");
    assert!(error("a.zip:dir").await.contains("'dir' is a directory in the archive"));
    assert!(error("a.zip:dir/f.txt/g").await.contains("'dir/f.txt' is a file in the archive"));
    assert_eq!(project.content("a.zip"), bytes);
    assert!(!project.path().join("new.zip").exists() && !project.path().join("x").exists());
}

/// proves: FIL-087
#[tokio::test]
async fn writes_go_to_archives_before_databases_before_files() {
    let project = Project::new();
    let write = async |path: &str, content: &str| {
        project.call("write", json!({ "path": path, "content": content })).await.map(|output| text(&output))
    };
    write("a.zip:x.db:t", "in the archive").await.unwrap();
    assert_eq!(project.read("a.zip:x.db:t").await, "in the archive");
    let connection = rusqlite::Connection::open(project.path().join("d.db")).unwrap();
    connection.execute_batch("CREATE TABLE t (a)").unwrap();
    assert_eq!(write("d.db:t", "{a: 1}").await.unwrap(), "Inserted row into t");
    write("plain:name.txt", "a file").await.unwrap();
    assert_eq!(project.content("plain:name.txt"), b"a file");
    for url in ["local://a.zip:x", "conflict://1"] {
        let error = write(url, "x").await.unwrap_err().message;
        assert!(!error.contains("rchive"), "{url} is no archive: {error}");
    }
    assert!(!project.path().join("local:").exists() && !project.path().join("conflict:").exists());
}

/// A cancelled read of a large archive ends at once.
#[tokio::test]
async fn a_read_ends_when_it_is_cancelled() {
    let project = Project::new();
    project.file("a.tar.gz", gz(&tar(&[("big", &vec![b'\n'; 64 << 20])])));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let arguments = json!({ "path": "a.tar.gz:big:9999999" });
    let call = invocation(&arguments, cancel, omp_agent::Updates::ignored());
    let error = project.tool("read").run(call).await.unwrap_err().message;
    assert!(error.to_lowercase().contains("abort"), "{error}");
}

/// An archive in an archive is a member like others; what is in it has to be taken out first.
#[tokio::test]
async fn archives_in_archives_are_named() {
    let project = Project::new();
    project.file("a.zip", zip(&[("in/b.tar.gz", &gz(&tar(&[("c.txt", b"c\n")]))), ("t.txt", b"t\n")]));
    let error = project.read_error("a.zip:in/b.tar.gz:c.txt").await;
    assert_eq!(
        error,
        "in/b.tar.gz is an archive inside a.zip; nested archives are not supported. Extract it first with \
         bash, e.g. unzip -p or tar -xOf."
    );
    let error = project.read_error("a.zip:t.txt:x").await;
    assert_eq!(error, "'t.txt:x' not found in a.zip. Read a.zip to list its contents.");
}

/// A name can be longer than a whole listing; the others are listed all the same.
#[tokio::test]
async fn endless_names_do_not_hide_the_others() {
    let project = Project::new();
    project.file("a.tar", tar(&[(&"n".repeat(60_000), b"x"), ("o.txt", b"y")]));
    let clipped = "n".repeat(1_000);
    assert_eq!(project.read("a.tar").await, format!("{clipped}… (1B)\no.txt (1B)"));
    assert_eq!(project.read("a.tar:2").await, "o.txt (1B)\n\n[1 of 2 entries shown]");
}
