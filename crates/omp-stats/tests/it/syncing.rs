//! What is read, and how often.

use crate::{Place, answer, append, header};

#[test]
fn requests_are_counted_by_model_project_and_day() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        &[
            header("one", "/code/app"),
            answer("a1", "small", 0, "stop"),
            "{\"type\":\"message\",\"id\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"assistant\"}}\n"
                .to_owned(),
            answer("a2", "large", 10, "error"),
        ],
    );
    place.write("b.jsonl", &[header("two", "/code/other"), answer("b1", "small", 20, "aborted")]);
    let mut store = place.store();
    let synced = store.sync(&place.sessions()).unwrap();
    assert_eq!((synced.files, synced.read, synced.requests, synced.failed), (2, 2, 3, 0));
    let summary = store.summary().unwrap();
    let total = &summary.total;
    assert_eq!((total.requests, total.errors, total.aborted, total.sessions), (3, 1, 1, 2));
    assert_eq!((total.input_tokens, total.output_tokens, total.cache_read_tokens), (300, 30, 900));
    assert!((total.cost - 1.5).abs() < 1e-9 && (total.cache_rate - 0.75).abs() < 1e-9, "{total:?}");
    assert_eq!((total.duration_ms, total.average_duration_ms), (6000, 2000));
    let names = |groups: &[omp_stats::Group]| -> Vec<(String, u64)> {
        groups.iter().map(|group| (group.name.clone(), group.totals.requests)).collect()
    };
    let pair = |name: &str, count| (name.to_owned(), count);
    assert_eq!(names(&summary.models), [pair("test/small", 2), pair("test/large", 1)]);
    assert_eq!(names(&summary.projects), [pair("/code/app", 2), pair("/code/other", 1)]);
    assert_eq!(summary.days.len(), 1);
    let text = summary.text();
    for wanted in ["3 in 2 sessions, 1 errors, 1 stopped", "75.0 %", "$1.50", "2.0 s on average", "/code/app"]
    {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn only_what_is_new_is_read() {
    let place = Place::new();
    let path = place.write("a.jsonl", &[header("one", "/p"), answer("a1", "m", 0, "stop")]);
    let mut store = place.store();
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 1);
    let again = store.sync(&place.sessions()).unwrap();
    assert_eq!((again.files, again.read, again.requests), (1, 0, 0));
    // The place before is not looked at again: an answer that is put there would count.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("2026-01-02", "2026-01-03", 1)).unwrap();
    let line = answer("a2", "m", 30, "stop");
    let (half, rest) = line.split_at(40);
    append(&path, half);
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 0, "half a line is no request");
    append(&path, rest);
    let synced = store.sync(&place.sessions()).unwrap();
    assert_eq!((synced.read, synced.requests), (1, 1));
    drop(store);
    assert_eq!(place.store().summary().unwrap().total.requests, 2, "the database remembers");
}

#[test]
fn a_file_that_was_written_anew_is_read_again_and_copies_count_once() {
    let place = Place::new();
    let lines = [answer("a1", "m", 0, "stop"), answer("a2", "m", 10, "stop")].concat();
    let path = place.write("a.jsonl", &[header("one", "/p"), lines.clone()]);
    let mut store = place.store();
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 2);
    // A name makes the header longer; everything else moves.
    let renamed = header("one", "/p").replace("\"cwd\"", "\"title\":\"a name\",\"cwd\"");
    std::fs::write(&path, [renamed, lines.clone(), answer("a3", "m", 20, "stop")].concat()).unwrap();
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 1);
    place.write("copy.jsonl", &[header("two", "/p"), lines, answer("c1", "m", 40, "stop")]);
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 1);
    std::fs::remove_file(&path).unwrap();
    store.sync(&place.sessions()).unwrap();
    assert_eq!(store.summary().unwrap().total.requests, 4, "what was spent stays spent");
}

#[test]
fn bad_files_are_passed_over() {
    let place = Place::new();
    std::fs::write(place.file("bytes.jsonl"), [0xff, 0xfe, b'\n', 0, b'{', b'\n']).unwrap();
    std::fs::write(place.file("empty.jsonl"), "").unwrap();
    std::fs::create_dir(place.file("directory.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.file("endless.jsonl")).unwrap();
    place.write("nothing.jsonl", &["{\"type\":\"session\"}\n".to_owned(), answer("x", "m", 0, "stop")]);
    let mut store = place.store();
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 1);
    assert_eq!(store.sync(&place.root.path().join("nowhere")).unwrap().files, 0);
    std::fs::write(
        place.root.path().join("other.db"),
        "this is no database, but long enough to look at it ".repeat(4),
    )
    .unwrap();
    let error = omp_stats::Store::open(&place.root.path().join("other.db")).unwrap_err().to_string();
    assert!(error.contains("other.db") && error.contains("move it away"), "{error}");
}

/// The database holds what people paid for and where they work.
#[test]
fn the_database_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    drop(place.store());
    let mode = std::fs::metadata(place.database()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn ten_thousand_sessions_need_no_more_memory_than_a_few() {
    let place = Place::new();
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let big = format!(
        "{{\"type\":\"message\",\"id\":\"t\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
        "x".repeat(2000)
    );
    let make = |from: u32, to: u32| {
        for number in from..to {
            let directory = place.sessions().join(format!("project-{}", number % 100));
            std::fs::create_dir_all(&directory).unwrap();
            let lines = [
                header(&format!("s{number}"), "/p"),
                big.clone(),
                answer(&format!("r{number}"), "m", 0, "stop"),
            ];
            std::fs::write(directory.join(format!("{number}.jsonl")), lines.concat()).unwrap();
        }
    };
    let mut store = place.store();
    make(0, 300);
    store.sync(&place.sessions()).unwrap();
    let before = peak();
    make(300, 10_000);
    assert_eq!(store.sync(&place.sessions()).unwrap().requests, 9_700);
    assert_eq!(store.summary().unwrap().total.requests, 10_000);
    let grown = peak() - before;
    assert!(grown < 8 * 1024, "{grown} KiB");
}
