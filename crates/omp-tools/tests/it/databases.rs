//! SQLite databases: tables, rows and answers as text, and single rows that are written.

use crate::support::{Project, invocation, meta, text};
use rusqlite::Connection;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const SCHEMA: &str = "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'nobody', age INTEGER, note BLOB);
CREATE TABLE words (word TEXT PRIMARY KEY, count INTEGER);
CREATE TABLE pairs (a INTEGER, b INTEGER, c TEXT, PRIMARY KEY (a, b));
CREATE TABLE plain (v TEXT);
CREATE TABLE tight (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;
INSERT INTO words VALUES ('7', 70), ('ant', 1), ('bee', 2);
INSERT INTO pairs VALUES (1, 2, 'x');
INSERT INTO plain VALUES ('first'), ('second');
INSERT INTO tight VALUES ('k', 'v');";

/// A project with a database of thirty users.
fn project() -> Project {
    let project = Project::new();
    let connection = connection(&project);
    connection.execute_batch(SCHEMA).unwrap();
    for number in 1..=30 {
        let row = (number, format!("user {number}"), 20 + number);
        connection.execute("INSERT INTO users VALUES (?1, ?2, ?3, NULL)", row).unwrap();
    }
    project
}

fn connection(project: &Project) -> Connection {
    Connection::open(project.path().join("app.db")).unwrap()
}

async fn write(project: &Project, path: &str, content: &str) -> Result<String, String> {
    let call = project.call("write", json!({ "path": path, "content": content })).await;
    call.map(|output| text(&output)).map_err(|error| error.message)
}

/// proves: FIL-054, FIL-100
#[tokio::test]
async fn only_databases_with_the_right_name_are_databases() {
    let project = project();
    project.file("x.db", "plain text\nsecond\n");
    assert_eq!(project.read("x.db").await, "plain text\nsecond");
    assert_eq!(project.read("x.db:raw:2-2").await, "second\n");
    for name in ["a.sqlite", "a.sqlite3", "a.db3", "A.DB"] {
        std::fs::copy(project.path().join("app.db"), project.path().join(name)).unwrap();
        assert!(project.read(name).await.contains("users (30 rows)"), "{name}");
    }
    std::fs::copy(project.path().join("app.db"), project.path().join("app.data")).unwrap();
    assert!(project.read_error("app.data").await.contains("SQLite"));
    assert!(
        write(&project, "x.db", "other text").await.unwrap().contains("Successfully wrote 10 bytes to x.db")
    );
    assert_eq!(project.content("x.db"), b"other text");
    assert!(write(&project, "x.db:t", "{}").await.unwrap_err().contains("is not a SQLite database"));
}

/// proves: FIL-055
#[tokio::test]
async fn tables_are_listed_with_their_rows() {
    let project = project();
    let output = project.read_output("app.db").await;
    assert_eq!(
        text(&output),
        "pairs (1 row)\nplain (2 rows)\ntight (1 row)\nusers (30 rows)\nwords (3 rows)"
    );
    assert_eq!(meta(&output)["source"]["value"], project.path().join("app.db").to_str().unwrap());
    let many = Connection::open(project.path().join("many.sqlite")).unwrap();
    let tables: String = (0..510)
        .map(|number| format!("CREATE TABLE t{number:03} (id INTEGER PRIMARY KEY AUTOINCREMENT);"))
        .collect();
    many.execute_batch(&format!("BEGIN; {tables} COMMIT")).unwrap();
    let output = project.read_output("many.sqlite").await;
    let shown = text(&output);
    assert_eq!(shown.lines().filter(|line| line.ends_with("(0 rows)")).count(), 500);
    assert!(shown.contains("[500 of 510 tables shown"), "{shown}");
    assert!(!shown.contains("sqlite_sequence"), "{shown}");
    assert_eq!(meta(&output)["limits"]["resultLimit"]["reached"], 500);
}

/// proves: FIL-056
#[tokio::test]
async fn a_table_shows_how_it_is_made_and_five_rows() {
    let project = project();
    let shown = project.read("app.db:users").await;
    assert!(shown.starts_with("CREATE TABLE users (id INTEGER PRIMARY KEY,"), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.contains("user ")).count(), 5, "{shown}");
    let error = project.read_error("app.db:user").await;
    assert!(error.contains("no table 'user' (tables: pairs, plain,"), "{error}");
}

/// proves: FIL-057
#[tokio::test]
async fn one_row_by_its_key() {
    let project = project();
    assert_eq!(project.read("app.db:users:7").await, "id: 7\nname: user 7\nage: 27\nnote: NULL");
    assert_eq!(project.read("app.db:words:bee").await, "word: bee\ncount: 2");
    assert_eq!(project.read("app.db:words:7").await, "word: 7\ncount: 70", "a text that looks like a number");
    assert_eq!(project.read("app.db:plain:2").await, "v: second", "by rowid");
    assert_eq!(project.read("app.db:pairs:1").await, "a: 1\nb: 2\nc: x", "two columns are a key: by rowid");
    assert_eq!(project.read("app.db:tight:k").await, "k: k\nv: v");
    assert!(project.read_error("app.db:users:99").await.contains("no row '99' in 'users'"));
    let error = project.read_error("app.db:users:7?limit=1").await;
    assert_eq!(error, "a row lookup takes no query parameters; omit the key to query the table");
}

/// proves: FIL-058
#[tokio::test]
async fn rows_by_query() {
    let project = project();
    let ids = async |query: &str| -> Vec<i64> {
        let shown = project.read(&format!("app.db:users?{query}")).await;
        shown.lines().skip(2).map_while(|line| line.split(" | ").next()?.trim().parse().ok()).collect()
    };
    assert_eq!(ids("offset=0").await, (1..=20).collect::<Vec<_>>(), "twenty without a limit");
    assert_eq!(ids("limit=3").await, [1, 2, 3]);
    assert_eq!(ids("limit=3&offset=4").await, [5, 6, 7]);
    assert_eq!(ids("limit=2&order=age:desc").await, [30, 29]);
    assert_eq!(ids("limit=2&order=age:asc").await, [1, 2]);
    assert_eq!(ids("limit=2&order=age").await, [1, 2]);
    assert_eq!(ids("where=age > 48").await, [29, 30]);
    assert_eq!(ids("where=name+LIKE+'%255'&order=id:desc").await, [25, 15, 5]);
    assert!(
        project
            .read("app.db:users?limit=3")
            .await
            .ends_with("[3 rows shown; more follow. Use offset=3 to continue]")
    );
    let large = connection(&project);
    large.execute_batch("CREATE TABLE big (n); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 700) INSERT INTO big SELECT n FROM c").unwrap();
    let shown = project.read("app.db:big?limit=9999").await;
    assert!(
        shown.contains("\n500\n") && !shown.contains("\n501\n") && shown.contains("[500 rows shown"),
        "{shown}"
    );
    assert!(
        project
            .read_error("app.db:users?order=nothing")
            .await
            .contains("has no column 'nothing' (columns: id, name")
    );
    assert!(project.read_error("app.db:users?order=age:up").await.contains(":asc or :desc"));
    assert!(project.read_error("app.db:users?foo=1").await.contains("unknown query parameter 'foo'"));
    assert!(project.read_error("app.db:users?limit=x").await.contains("limit must be an integer"));
}

/// proves: FIL-059
#[tokio::test]
async fn conditions_stay_conditions() {
    let project = project();
    for bad in [
        "1=1; drop table users",
        "1=1 -- x",
        "1=1 /* x */",
        "1=1 LIMIT 1",
        "1=1 limit 1",
        "1=1 OFFSET 3",
        "1=1 UNION SELECT 1",
        "1 INTERSECT SELECT 1",
        "1 EXCEPT SELECT 1",
        "attach",
        "detach",
        "pragma",
    ] {
        let error = project.read_error(&format!("app.db:users?where={bad}")).await;
        assert!(error.starts_with("where must be a single condition"), "{bad}: {error}");
    }
    assert_eq!(project.read("app.db:users?where=name='a;b'").await, "(no rows)");
    assert!(project.read("app.db:users?where=name <> 'x -- LIMIT ;' AND id = 3").await.contains("user 3"));
}

/// proves: FIL-060, FIL-061
#[tokio::test]
async fn statements_read_and_cannot_write() {
    let project = project();
    assert_eq!(
        project.read("app.db?q=SELECT count(*) AS n, 'a' || 'b' FROM users WHERE age & 1 = 1").await,
        "n  | 'a' || 'b'\n---+-----------\n15 | ab"
    );
    for statement in [
        "DELETE FROM users",
        "UPDATE users SET age = 1",
        "INSERT INTO plain VALUES (1)",
        "DROP TABLE users",
        "CREATE TABLE n (a)",
        "CREATE TEMP TABLE n (a)",
        "PRAGMA user_version = 7; SELECT 1",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "ATTACH 'other.db' AS o",
        "SELECT load_extension('x')",
        "SELECT writefile('w.txt', 'x')",
        "SELECT readfile('app.db')",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
        "WITH c AS (SELECT 1) DELETE FROM users",
    ] {
        let before = project.content("app.db");
        let result = project.call("read", json!({ "path": format!("app.db?q={statement}") })).await;
        assert!(result.is_err(), "{statement}: {result:?}");
        assert_eq!(project.content("app.db"), before, "{statement}");
    }
    let names: Vec<_> =
        std::fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["app.db"], "nothing was made beside it");
    assert!(project.read_error("app.db?q=DELETE FROM users").await.contains("readonly"));
    assert!(
        project.read_error("app.db:users?q=SELECT 1").await.contains("?q= cannot be combined with a table")
    );
    assert!(project.read_error("app.db?q=SELECT 1&limit=3").await.contains("cannot be combined"));
    assert!(project.read_error("app.db?q=").await.contains("is empty"));
    for placeholder in ["SELECT ?", "SELECT :name", "SELECT * FROM users WHERE id = ?1"] {
        let error = project.read_error(&format!("app.db?q={placeholder}")).await;
        assert!(error.contains("unbound parameters"), "{placeholder}: {error}");
    }
    let many = project.read("app.db?q=WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000) SELECT n FROM c").await;
    assert!(
        many.contains("\n1000\n") && !many.contains("\n1001\n") && many.contains("[First 1000 rows shown"),
        "{many}"
    );
    assert!(project.read_error("app.db?q=SELEC 1").await.contains("syntax error"));
}

/// proves: FIL-062
#[tokio::test]
async fn tables_fit_on_a_screen() {
    let project = project();
    let connection = connection(&project);
    let long = "x".repeat(500);
    connection.execute("INSERT INTO users VALUES (100, ?1, NULL, x'00ff00')", [&long]).unwrap();
    let width = |shown: &str| shown.lines().map(|line| line.chars().count()).max().unwrap();
    let shown = project.read("app.db:users?where=id = 100").await;
    assert_eq!(
        shown.lines().last(),
        Some(format!("100 | {}… | NULL | <blob 3 bytes>", "x".repeat(39)).as_str())
    );
    let wide: Vec<String> = (0..6).map(|number| format!("'{}' AS column_{number}", "w".repeat(60))).collect();
    let shown = project.read(&format!("app.db?q=SELECT {}", wide.join(", "))).await;
    assert!(width(&shown) <= 120 && shown.contains("---+---") && shown.contains("…"), "{shown}");
    let wider: Vec<String> = (0..40).map(|number| format!("'value {number}' AS column_{number}")).collect();
    let shown = project.read(&format!("app.db?q=SELECT {}", wider.join(", "))).await;
    assert!(shown.starts_with("-- row 1 --\n") && shown.contains("\ncolumn_39: value 39"), "{shown}");
    assert!(width(&shown) <= 120);
    let lines = project.read("app.db?q=SELECT 'a' || char(10) || 'b' || char(9) AS v, 1.5, 2.0").await;
    assert_eq!(lines.lines().last(), Some("a\\nb\\t | 1.5 | 2.0"), "one row is one line: {lines}");
    let whole = project.read("app.db:users:100").await;
    assert!(whole.contains(&long), "a row alone shows its values in full");
}

/// proves: FIL-063, FIL-101
#[tokio::test]
async fn a_locked_database_is_waited_for() {
    let project = project();
    let locked = connection(&project);
    locked.execute_batch("BEGIN EXCLUSIVE; INSERT INTO plain VALUES ('third')").unwrap();
    let (read, written) = tokio::join!(
        project.call("read", json!({ "path": "app.db:plain" })),
        write(&project, "app.db:plain", "{v: 'x'}"),
    );
    assert!(read.unwrap_err().message.contains("database is locked"));
    assert!(written.unwrap_err().contains("database is locked"));
    let release = tokio::task::spawn_blocking(move || {
        // Held while the read begins; it would fail without its patience.
        std::thread::park_timeout(std::time::Duration::from_millis(300));
        locked.execute_batch("COMMIT")
    });
    assert!(project.read("app.db:plain?where=v = 'third'").await.contains("third"), "it was waited for");
    release.await.unwrap().unwrap();
    let output =
        project.call("write", json!({ "path": "app.db:plain", "content": "{v: 'fourth'}" })).await.unwrap();
    assert_eq!(meta(&output)["source"]["value"], project.path().join("app.db").to_str().unwrap());
    // Closed connections hold no lock: another one gets it at once.
    connection(&project).execute_batch("BEGIN EXCLUSIVE; COMMIT").unwrap();
    let error = project.read_error("app.db?q=SELECT abs(-9223372036854775808)").await;
    assert!(error.contains("integer overflow"), "{error}");
}

/// A database with a log, with and without one beside it, and where nothing can be made.
#[tokio::test]
async fn databases_with_a_log_are_read_without_a_trace() {
    let project = project();
    let open = connection(&project);
    open.execute_batch("PRAGMA journal_mode = WAL; INSERT INTO plain VALUES ('in the log')").unwrap();
    assert!(project.read("app.db:plain").await.contains("in the log"));
    drop(open);
    let names = || -> Vec<_> {
        std::fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!(names(), ["app.db"]);
    assert!(project.read("app.db:plain").await.contains("in the log"));
    assert_eq!(names(), ["app.db"], "a read leaves nothing behind");
}

/// A statement without end stops when the call is cancelled.
#[tokio::test]
async fn an_endless_statement_can_be_stopped() {
    let project = project();
    let cancel = CancellationToken::new();
    let arguments = json!({ "path": "app.db?q=WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c" });
    let call = invocation(&arguments, cancel.clone(), omp_agent::Updates::ignored());
    let tool = project.tool("read");
    let running = tokio::spawn(async move { tool.run(call).await });
    tokio::task::yield_now().await;
    cancel.cancel();
    let error = running.await.unwrap().unwrap_err().message;
    assert!(error.to_lowercase().contains("abort"), "{error}");
}

/// proves: FIL-096
#[tokio::test]
async fn rows_are_inserted() {
    let project = project();
    assert_eq!(
        write(&project, "app.db:users", "{name: 'Ada', age: 36, /* JSON5 */ note: null,}").await,
        Ok("Inserted row into users".into())
    );
    assert_eq!(project.read("app.db:users:31").await, "id: 31\nname: Ada\nage: 36\nnote: NULL");
    assert_eq!(write(&project, "app.db:users", "{}").await, Ok("Inserted row into users".into()));
    assert_eq!(project.read("app.db:users:32").await, "id: 32\nname: nobody\nage: NULL\nnote: NULL");
    assert_eq!(write(&project, "app.db:plain", "{\"v\": true}").await, Ok("Inserted row into plain".into()));
    assert_eq!(project.read("app.db:plain:3").await, "v: 1");
    write(&project, "app.db:words", "{word: \"o'clock; DROP TABLE words\", count: -2.5}").await.unwrap();
    assert!(project.read("app.db:words?order=count").await.contains("o'clock; DROP TABLE words | -2.5"));
}

/// proves: FIL-097
#[tokio::test]
async fn rows_are_changed_and_deleted_by_their_key() {
    let project = project();
    assert_eq!(
        write(&project, "app.db:users:7", "{name: 'Grace', age: 85}").await,
        Ok("Updated row '7' in users".into())
    );
    assert_eq!(project.read("app.db:users:7").await, "id: 7\nname: Grace\nage: 85\nnote: NULL");
    assert!(write(&project, "app.db:users:99", "{age: 1}").await.unwrap().starts_with("No row updated"));
    assert_eq!(write(&project, "app.db:words:ant", " \n\t").await, Ok("Deleted row 'ant' from words".into()));
    assert_eq!(
        write(&project, "app.db:plain:1", "").await,
        Ok("Deleted row '1' from plain".into()),
        "by rowid"
    );
    assert!(write(&project, "app.db:words:ant", "").await.unwrap().starts_with("No row deleted"));
    let left: i64 = connection(&project)
        .query_row("SELECT (SELECT count(*) FROM words) * 1000 + (SELECT count(*) FROM users) + (SELECT count(*) FROM plain)", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 2031, "nothing else was touched");
}

/// proves: FIL-098, FIL-099
#[tokio::test]
async fn bad_writes_change_nothing() {
    let project = project();
    let before = project.content("app.db");
    let cases = [
        ("new.db:t", "{}", "SQLite database 'new.db' not found"),
        ("app.db:users?limit=1", "{}", "SQLite write paths do not support query parameters"),
        ("app.db", "{}", "SQLite write path must target a table"),
        ("app.db:", "{}", "SQLite write path must target a table"),
        ("app.db:users:", "{}", "SQLite row writes require a non-empty row key"),
        ("app.db:users: ", "{}", "SQLite row writes require a non-empty row key"),
        ("app.db:pairs:1", "{c: 'y'}", "composite primary key"),
        ("app.db:pairs:1", "", "composite primary key"),
        ("app.db:tight:k", "{v: 'y'}", "WITHOUT ROWID"),
        ("app.db:tight:k", "", "WITHOUT ROWID"),
        ("app.db:users", "{name: ", "not valid JSON5"),
        ("app.db:users", "", "not valid JSON5"),
        ("app.db:users", "[1]", "must be a JSON5 object"),
        ("app.db:users", "'text'", "must be a JSON5 object"),
        ("app.db:users", "{nothing: 1}", "has no column 'nothing' (columns: id, name, age, note"),
        ("app.db:users:1", "{nothing: 1}", "has no column 'nothing'"),
        ("app.db:users", "{name: ['a']}", "must be a string, number, boolean or null"),
        ("app.db:users", "{name: {a: 1}}", "must be a string, number, boolean or null"),
        ("app.db:users", "{age: Infinity}", "is not a finite number"),
        ("app.db:users:1", "{}", "no columns to change"),
        ("app.db:nowhere", "{}", "no table 'nowhere'"),
        ("app.db:users", "{name: null}", "NOT NULL constraint failed"),
    ];
    for (path, content, expected) in cases {
        let error = write(&project, path, content).await.unwrap_err();
        assert!(error.contains(expected), "{path} {content}: {error}");
        assert_eq!(project.content("app.db"), before, "{path} {content}");
    }
    assert!(!project.path().join("new.db").exists());
}
