//! The prompts that were typed.

use omp_testkit::{Home, Reply, Server, Wire, run};
use rusqlite::Connection;

use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, home, omp, omp_run};

type Row = (String, i64, String, String);

fn rows(home: &Home) -> Vec<Row> {
    let database = Connection::open(home.agent_dir().join("history.db")).unwrap();
    let mut query =
        database.prepare("SELECT prompt, created_at, cwd, session_id FROM history ORDER BY id").unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn matches(home: &Home, word: &str) -> i64 {
    let database = Connection::open(home.agent_dir().join("history.db")).unwrap();
    let query = "SELECT count(*) FROM history_fts WHERE history_fts MATCH ?1";
    database.query_row(query, [word], |row| row.get(0)).unwrap()
}

/// What was typed is in the database, without what was attached; the index follows every change.
// proves: SES-177
#[test]
fn typed_prompts_are_kept() {
    let server =
        Server::start((0..5).map(|number| Reply::new().text(&number.to_string())).collect::<Vec<_>>());
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/secret.txt", "not typed");
    omp_run(&home, &["-p", "@secret.txt", "find the parser bug", "now fix it"]).assert_success();
    omp_run(&home, &["-p", "now fix it"]).assert_success();
    run(omp(&home, &["-p"]), Some(b"piped words\n"), LIMIT).assert_success();
    omp_run(&home, &["-p", "--no-session", "leave no trace"]).assert_success();
    server.finish();

    let kept = rows(&home);
    let prompts: Vec<&str> = kept.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(prompts, ["find the parser bug", "now fix it", "piped words"], "the same twice is kept once");
    let first = lines(&session_files(&home)[0])[0].clone();
    assert_eq!(
        (&kept[0].2, &kept[0].3),
        (&home.work_dir().display().to_string(), &first["id"].as_str().unwrap().to_owned())
    );
    assert!(kept[0].1 > 1_700_000_000);
    assert_eq!((matches(&home, "parser"), matches(&home, "typed")), (1, 0));
    let database = Connection::open(home.agent_dir().join("history.db")).unwrap();
    database.execute("UPDATE history SET prompt = 'find the lexer bug' WHERE id = 1", []).unwrap();
    assert_eq!((matches(&home, "parser"), matches(&home, "lexer")), (0, 1));
    database.execute("DELETE FROM history WHERE id = 1", []).unwrap();
    assert_eq!(matches(&home, "lexer"), 0);
}

#[test]
fn prompts_are_listed_and_searched() {
    let home = Home::new();
    assert_eq!(omp_run(&home, &["history"]).stdout, "No prompts found\n");
    assert!(!home.agent_dir().join("history.db").exists(), "looking makes no database");
    omp_run(&home, &["--demo", "-p", "find the parser bug"]).assert_success();
    let mut elsewhere = omp(&home, &["--demo", "-p", "the parser is slow"]);
    elsewhere.current_dir(home.path("tmp"));
    run(elsewhere, Some(b""), LIMIT).assert_success();

    let all = omp_run(&home, &["history"]).stdout;
    let lines: Vec<&str> = all.lines().collect();
    assert!(lines.len() == 2 && lines[0].ends_with("  the parser is slow"), "{all}");
    let found = omp_run(&home, &["history", "search", "pars", "bug"]).stdout;
    assert!(found.lines().count() == 1 && found.contains("find the parser bug"), "{found}");
    assert_eq!(omp_run(&home, &["history", "pars", "bug"]).stdout, found);
    for args in [&["history", "--here", "--json"][..], &["history", "search", "parser", "--here", "--json"]] {
        let here: serde_json::Value = serde_json::from_str(&omp_run(&home, args).stdout).unwrap();
        assert_eq!(here.as_array().unwrap().len(), 1, "{args:?}");
        assert_eq!(here[0]["prompt"], "find the parser bug");
        assert_eq!(here[0]["cwd"], home.work_dir().to_str().unwrap());
    }
    assert_eq!(omp_run(&home, &["history", "-n", "1"]).stdout.lines().count(), 1);
    assert_eq!(omp_run(&home, &["history", "search"]).code, Some(1));
}

/// A database that cannot be used is said once and stops nothing.
#[test]
fn a_broken_history_stops_nothing() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/history.db", vec![7; 5000]);
    let output = omp_run(&home, &["-p", "x"]);
    assert_eq!(output.assert_success().stdout, "ok\n");
    assert_eq!(output.stderr.matches("history.db").count(), 1, "{}", output.stderr);
    assert_eq!(session_files(&home).len(), 1);
    server.finish();
}
