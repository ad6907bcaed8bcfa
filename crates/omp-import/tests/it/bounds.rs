//! What is refused, what is left out, and that nothing of the other program changes.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use omp_import::{ImportError, JsonlSink, Sink, import};
use serde_json::json;

use crate::support::{FIXTURES, World, fixture};

/// A line of 200 MB is not read, and a sentence says so; the rest is imported.
#[test]
fn a_line_of_200_mb_is_left_out() {
    let world = World::new();
    let path = world.file(
        "big.jsonl",
        &[json!({"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "s",
        "message": {"role": "user", "content": "before"}})],
    );
    let mut file = File::options().append(true).open(&path).unwrap();
    // Zeros that take no room on the disk.
    let length = file.metadata().unwrap().len();
    file.set_len(length + 200_000_000).unwrap();
    let after = json!({"type": "user", "uuid": "2", "parentUuid": "1",
        "message": {"role": "user", "content": "after"}});
    file.write_all(format!("\n{after}\n").as_bytes()).unwrap();

    let session = world.import(&path);
    assert_eq!(session.told(), ["user: before", "user: after"]);
    assert_eq!(
        session.saved.imported.report.notes,
        ["Line 2 was skipped: 200000001 bytes exceed the limit of 32 MiB"]
    );
    assert!(std::fs::metadata(&session.saved.path).unwrap().len() < 5000);
}

#[test]
fn what_is_refused() {
    let world = World::new();
    let refused = |path| world.try_import(path).err().unwrap().to_string();
    let missing = world.base.join("missing.jsonl");
    assert!(refused(&missing).starts_with(&format!("cannot read {}: ", missing.display())));
    assert!(refused(&world.base).contains("not a file"));
    let strange = world.file("strange.jsonl", &[json!({"a": 1}), json!(5)]);
    assert_eq!(
        refused(&strange),
        format!(
            "{} is not a Claude Code, Codex or pi conversation; specify one of their .jsonl files",
            strange.display()
        )
    );
    let packed = world.base.join("rollout.jsonl.zst");
    std::fs::write(&packed, b"\x28\xb5\x2f\xfd binary").unwrap();
    assert!(refused(&packed).ends_with("is compressed; unpack it with `zstd -d` and import the .jsonl file"));
    let empty = world.file("empty.jsonl", &[json!({"type": "mode", "sessionId": "s"})]);
    assert!(refused(&empty).ends_with("contains no messages to import"));
    let left: Vec<_> = std::fs::read_dir(world.sessions.dir_for("/fallback".as_ref())).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The session is private, appears under the name of its time and id, and a second import is another session.
#[test]
fn sessions_are_new_and_the_source_is_untouched() {
    let world = World::new();
    let source = world.base.join("source.jsonl");
    std::fs::copy(fixture("claude-1.0"), &source).unwrap();
    let before = (std::fs::read(&source).unwrap(), std::fs::metadata(&source).unwrap().modified().unwrap());
    let [first, second] = [world.import(&source), world.import(&source)];
    assert_eq!(before.0, std::fs::read(&source).unwrap());
    assert_eq!(before.1, std::fs::metadata(&source).unwrap().modified().unwrap());
    assert_ne!(first.saved.path, second.saved.path);
    assert_eq!(first.loaded.entries(), second.loaded.entries(), "the same file gives the same entries");
    let name = first.saved.path.file_name().unwrap().to_str().unwrap();
    assert_eq!(name, format!("2025-08-20T09-00-00-000Z_{}.jsonl", first.saved.id));
    assert_eq!(first.saved.path.parent().unwrap(), world.sessions.dir_for("/srv/shop".as_ref()));
    let mode = std::fs::metadata(&first.saved.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(world.sessions.list("/srv/shop".as_ref()).len(), 2);
}

/// Characters that trip programs: separators of JavaScript, NUL, half of a pair; and a last line that is still written.
#[test]
fn odd_characters_and_a_torn_line() {
    let world = World::new();
    let path = world.base.join("odd.jsonl");
    let line =
        r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"a\u2028b\u0000c\ud83d"}}"#;
    let torn = &line.replace("a\\u2028", "never")[..60];
    std::fs::write(&path, format!("\u{feff}{line}\n{line}\r\n\n{torn}")).unwrap();
    let session = world.import(&path);
    let said = "user: a\u{2028}b\0c\u{fffd}";
    assert_eq!(session.told(), [said, said]);
    assert_eq!(session.saved.imported.report.unreadable, 1);
    assert_eq!(session.data("claude-code/unreadable")["text"], torn);
}

/// A file without times is as old as its last change.
#[test]
fn times_of_the_file() {
    let world = World::new();
    let path =
        world.file("t.jsonl", &[json!({"type": "user", "sessionId": "s", "message": {"content": "hi"}})]);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_760_000_000);
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let session = world.import(&path);
    assert_eq!(session.loaded.header.timestamp, "2025-10-09T08:53:20.000Z");
    assert_eq!(session.entry("hi").timestamp, "2025-10-09T08:53:20.000Z");
}

/// Memory follows the longest record, not the file: 40 MB of records of 100 KB each need no more than a few of them.
#[test]
fn memory_does_not_grow_with_the_file() {
    let words = "w".repeat(100_000);
    let claude = json!({"type": "user", "message": {"role": "user", "content": words}});
    let codex =
        json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": words}});
    let pi = json!({"type": "message", "message": {"role": "user", "content": words}});
    let header = json!({"type": "session", "version": 3, "id": "x"});
    let world = World::new();
    for (first, record) in [(None, claude), (None, codex), (Some(header), pi)] {
        let path = world.file("long.jsonl", first.as_slice());
        let mut file = File::options().append(true).open(&path).unwrap();
        let line = format!("{record}\n");
        (0..400).for_each(|_| file.write_all(line.as_bytes()).unwrap());
        let before = peak_memory();
        let mut sink = JsonlSink::new(std::io::sink(), "id", "/p");
        assert_eq!(import(&path, &mut sink).unwrap().report.user_messages, 400);
        assert!(peak_memory() - before < 8_000_000, "{before} {}", peak_memory());
    }
}

/// The most memory this process has had, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// A sink that fails stops the import with its own error.
#[test]
fn a_full_disk_is_reported() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for name in FIXTURES {
        for room in [0, 300, 900] {
            let mut sink = JsonlSink::new(Full(room), "id", "/p");
            let error = import(&fixture(name), &mut sink as &mut dyn Sink).unwrap_err();
            assert!(matches!(&error, ImportError::Write(_)), "{name}: {error}");
            assert!(error.to_string().starts_with("cannot write the imported session: "), "{error}");
        }
    }
}
