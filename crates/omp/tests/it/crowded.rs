//! A directory with more sessions than a list has room for.

use omp_testkit::Home;

use crate::support::omp_run;

/// The list says what it leaves out, and what it leaves out is found by its id and by its words.
#[test]
fn sessions_beyond_the_list_are_not_lost() {
    let home = Home::new();
    let cwd = home.path("work");
    let text = |id: &str, words: &str| {
        let header =
            serde_json::json!({"type": "session", "version": 3, "id": id, "timestamp": "t", "cwd": cwd});
        let message = serde_json::json!({
            "type": "message", "id": "00000001", "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": words, "timestamp": 1},
        });
        format!("{header}\n{message}\n")
    };
    let directory = home.path("sessions");
    std::fs::create_dir_all(&directory).unwrap();
    let write = |id: &str, words: &str| {
        let path = directory.join(format!("2026-01-01T00-00-00-000Z_{id}.jsonl"));
        std::fs::write(&path, text(id, words)).unwrap();
        path
    };
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(1_000_000);
    for id in ["older1", "older2"] {
        let file = std::fs::File::open(write(id, &format!("a needle in {id}"))).unwrap();
        file.set_times(std::fs::FileTimes::new().set_modified(old)).unwrap();
    }
    for number in 0..10_000 {
        write(&format!("id{number:05}"), "hay");
    }
    let place = directory.to_str().unwrap();
    let listed = omp_run(&home, &["session", "list", "--session-dir", place]);
    listed.assert_success();
    assert_eq!(listed.stdout.lines().count(), 10_000);
    assert!(listed.stderr.contains("2 older sessions are not listed"), "{}", listed.stderr);
    let few = omp_run(&home, &["session", "list", "-n", "5", "--session-dir", place]);
    assert_eq!((few.stdout.lines().count(), few.stderr.as_str()), (5, ""), "who wants few gets few");
    let found = omp_run(&home, &["session", "search", "needle", "--session-dir", place]);
    assert!(found.stdout.contains("older1") && found.stdout.contains("older2"), "{}", found.stdout);
    let shown = omp_run(&home, &["session", "show", "older2", "--session-dir", place]);
    assert!(shown.stdout.contains("a needle in older2"), "{shown:?}");
}
