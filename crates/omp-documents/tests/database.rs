//! Databases that are large, broken or in use, and statements that never end.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use omp_documents::Stop;
use omp_documents::database::{DatabaseError, Selector, Target, is_database, read, write};
use rusqlite::Connection;
use tempfile::TempDir;

fn database(sql: &str) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a b?#%.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (directory, path)
}

fn text(path: &std::path::Path, rest: &str) -> Result<String, DatabaseError> {
    read(path, &Selector::parse(rest).unwrap(), &Stop::never()).map(|answer| answer.text)
}

const ENDLESS: &str =
    "?q=WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c";

/// The statement itself ends, not only the wait for it.
#[test]
fn an_endless_statement_ends_when_it_is_asked_to() {
    let (_directory, path) = database("CREATE TABLE t (a)");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let stop = Stop::when(move || count.fetch_add(1, Ordering::Relaxed) > 5);
    let result = read(&path, &Selector::parse(ENDLESS).unwrap(), &stop);
    assert!(matches!(result, Err(DatabaseError::Stopped)), "{result:?}");
    assert!(asked.load(Ordering::Relaxed) > 5);
}

/// Waiting for a lock ends too, and so does a change that never happened.
#[test]
fn waiting_for_a_lock_ends_when_it_is_asked_to() {
    let (_directory, path) = database("CREATE TABLE t (a)");
    let locked = Connection::open(&path).unwrap();
    locked.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let result = read(&path, &Selector::Tables, &Stop::when(|| true));
    assert!(matches!(result, Err(DatabaseError::Stopped)), "{result:?}");
    let target = Target { table: "t".to_owned(), key: None };
    let result = write(&path, &target, "{a: 1}", &Stop::when(|| true));
    assert!(matches!(result, Err(DatabaseError::Stopped)), "{result:?}");
}

/// Values of many megabytes are named by their size, and what would fill the memory is refused.
#[test]
fn huge_values() {
    let (_directory, path) = database(
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (zeroblob(20000000), printf('%.*c', 3000000, 'x'))",
    );
    let shown = text(&path, ":t?limit=1").unwrap();
    assert!(shown.contains("<blob 20000000 bytes>") && shown.len() < 1000, "{}", shown.len());
    let shown = text(&path, ":t:1").unwrap();
    assert!(shown.contains("… (3000000 bytes)") && shown.len() < 20_000, "{}", shown.len());
    let error = text(&path, "?q=SELECT zeroblob(900000000)").unwrap_err().to_string();
    assert!(error.contains("too big"), "{error}");
}

/// A file that begins like a database and is none, or is cut off.
#[test]
fn broken_databases_are_errors() {
    let (_directory, path) = database("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    let whole = std::fs::read(&path).unwrap();
    for length in [100, 1000] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(is_database(&path));
        assert!(text(&path, ":t").is_err(), "{length}");
    }
    let mut wrong = whole;
    for byte in wrong.iter_mut().skip(100).step_by(3) {
        *byte = 0xff;
    }
    std::fs::write(&path, &wrong).unwrap();
    assert!(text(&path, "").is_err());
    let target = Target { table: "t".to_owned(), key: None };
    assert!(write(&path, &target, "{a: 2}", &Stop::never()).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), wrong, "a failed write changes nothing");
    assert!(!is_database(path.parent().unwrap()) && !is_database(&path.with_extension("none")));
}

/// Names with quotes, and tables that are no tables.
#[test]
fn odd_tables() {
    let (_directory, path) = database(
        "CREATE TABLE \"od\"\"d; DROP\" (\"a b\", \"c\"\"d\"); INSERT INTO \"od\"\"d; DROP\" VALUES (1, 2);
         CREATE VIEW v AS SELECT 1 AS one; CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('words')",
    );
    assert!(text(&path, "").unwrap().contains("od\"d; DROP (1 row)"));
    assert!(text(&path, ":od\"d; DROP?order=c\"d").unwrap().contains("a b | c\"d\n"));
    assert!(text(&path, ":v").unwrap().contains("CREATE VIEW v"));
    assert!(text(&path, ":v:1").unwrap_err().to_string().contains("neither a single-column primary key"));
    assert!(text(&path, ":f:1").unwrap().contains("body: words"));
    let target = Target { table: "v".to_owned(), key: None };
    let error = write(&path, &target, "{one: 2}", &Stop::never()).unwrap_err().to_string();
    assert!(error.contains("view"), "{error}");
}

/// The parser of JSON5 follows brackets by recursion.
#[test]
fn a_row_of_endless_brackets_is_refused() {
    let (_directory, path) = database("CREATE TABLE t (a)");
    let target = Target { table: "t".to_owned(), key: None };
    for content in [format!("{{a: {}", "[".repeat(1_000_000)), "[{a:".repeat(300_000)] {
        let error = write(&path, &target, &content, &Stop::never()).unwrap_err();
        assert!(error.to_string().contains("nested too deeply"), "{error}");
    }
    let brackets = "[".repeat(1_000);
    write(&path, &target, &format!("{{a: '{brackets}\\'' /* {brackets} */ }} // {brackets}"), &Stop::never())
        .unwrap();
    assert!(text(&path, ":t:1").unwrap().ends_with("[[['"));
}

/// A name is one line, whatever is in it.
#[test]
fn odd_names_of_tables() {
    let (_directory, path) = database(
        "CREATE TABLE \"two\nlines\" (a); CREATE TABLE \"with \"\"quotes\"\" 'and' [more]\" (\"a b\"); CREATE VIEW \"v\tw\" AS SELECT 1",
    );
    let listed = text(&path, "").unwrap();
    assert_eq!(listed, "two\\nlines (0 rows)\nwith \"quotes\" 'and' [more] (0 rows)\nv\\tw (view)");
    let odd = "with \"quotes\" 'and' [more]";
    let target = Target { table: odd.to_owned(), key: None };
    write(&path, &target, "{'a b': 1}", &Stop::never()).unwrap();
    assert_eq!(text(&path, &format!(":{odd}:1")).unwrap(), "a b: 1");
}

/// Rows of very many long cells do not fill the memory, and the next ones can be asked for.
#[test]
fn very_wide_rows_are_bounded() {
    let columns: Vec<String> = (0..1_000).map(|number| format!("c{number}")).collect();
    let values = "printf('%.*c', 480, 'x')".to_owned() + &", printf('%.*c', 480, 'x')".repeat(999);
    let rows = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20)";
    let (_directory, path) = database(&format!(
        "CREATE TABLE t ({}); {rows} INSERT INTO t SELECT {values} FROM c",
        columns.join(", ")
    ));
    // 4 MiB of cells, 480 KB in each row.
    let shown = text(&path, ":t?limit=20").unwrap();
    assert!(shown.ends_with("[9 rows shown; more follow. Use offset=9 to continue]"), "{}", shown.len());
    let shown = text(&path, ":t?limit=20&offset=18").unwrap();
    assert!(!shown.contains("more follow"));
    let answer = read(&path, &Selector::parse("?q=SELECT * FROM t").unwrap(), &Stop::never()).unwrap();
    assert_eq!(answer.limit, Some(9));
    assert!(answer.text.ends_with("[First 9 rows shown. Narrow the statement to see others]"));
}
