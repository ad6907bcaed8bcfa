//! What was asked of a database, as text.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::connection::Database;
use super::selector::{Rows, Selector};
use super::tables::{Table, quoted};
use super::{DatabaseError, refused, render};
use crate::stop::Stop;

/// Rows shown of a table that was only named.
const SAMPLE: u64 = 5;
/// Rows of a statement.
const MAX_ROWS: usize = 1000;
/// What the cells of an answer may take before it is shown: rows can be very wide.
const MAX_CELLS: usize = 4 << 20;
/// Tables in a list.
const MAX_TABLES: usize = 500;
/// How long rows are counted.
const COUNTING: Duration = Duration::from_secs(2);

/// An answer, and the limit that cut it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    pub limit: Option<usize>,
}

/// Reads from a database, which is opened for this alone.
pub fn read(path: &Path, selector: &Selector, stop: &Stop) -> Result<Answer, DatabaseError> {
    let database = Database::read_only(path, stop)?;
    match selector {
        Selector::Tables => tables(&database),
        Selector::Schema(table) => database.patiently(|connection| schema(connection, table)),
        Selector::Row { table, key } => database.patiently(|connection| row(connection, table, key)),
        Selector::Rows(rows) => database.patiently(|connection| self::rows(connection, rows)),
        Selector::Sql(sql) => database.patiently(|connection| statement(connection, sql)),
    }
}

fn tables(database: &Database) -> Result<Answer, DatabaseError> {
    let names: Vec<(String, String)> = database.patiently(|connection| {
        let mut statement = connection.prepare(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
        )?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?)
    })?;
    if names.is_empty() {
        return Ok(Answer { text: "(no tables)".to_owned(), limit: None });
    }
    let mut lines = Vec::new();
    database.allow(COUNTING);
    for (name, kind) in names.iter().take(MAX_TABLES) {
        let shown = render::one_line(name);
        lines.push(match kind.as_str() {
            "view" => format!("{shown} (view)"),
            _ => format!("{shown} ({})", count(&database.connection, name)),
        });
    }
    let limit = (names.len() > MAX_TABLES).then_some(MAX_TABLES);
    if limit.is_some() {
        lines.push(format!("\n[{MAX_TABLES} of {} tables shown. Use ?q= to see others]", names.len()));
    }
    Ok(Answer { text: lines.join("\n"), limit })
}

/// Counting may fail or take too long; the name is worth showing all the same.
fn count(connection: &Connection, table: &str) -> String {
    let sql = format!("SELECT count(*) FROM {}", quoted(table));
    match connection.query_row(&sql, [], |row| row.get::<_, i64>(0)) {
        Ok(1) => "1 row".to_owned(),
        Ok(count) => format!("{count} rows"),
        Err(_) => "rows not counted".to_owned(),
    }
}

fn schema(connection: &Connection, name: &str) -> Result<Answer, DatabaseError> {
    let table = Table::find(connection, name)?;
    let sample =
        collect(connection, &format!("SELECT * FROM {} LIMIT {}", table.quoted(), SAMPLE + 1), SAMPLE)?;
    let rows = match (sample.rows.len(), sample.more) {
        (0, _) => "(no rows)".to_owned(),
        (_, false) => sample.text(),
        (shown, true) => {
            let next = format!("[First {shown} rows. Use ?limit=N&offset=N&where=…&order=… for more]");
            format!("{}\n\n{next}", sample.text())
        }
    };
    let sql = if table.sql.is_empty() { table.name } else { format!("{};", table.sql) };
    Ok(Answer { text: format!("{sql}\n\n{rows}"), limit: None })
}

fn row(connection: &Connection, name: &str, key: &str) -> Result<Answer, DatabaseError> {
    let table = Table::find(connection, name)?;
    let by = table.key()?;
    let mut statement =
        connection.prepare(&format!("SELECT * FROM {} WHERE {}", table.quoted(), by.condition()))?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    for value in by.values(key) {
        let mut found = statement.query([value])?;
        let Some(row) = found.next()? else { continue };
        let mut lines = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            lines.push(format!("{column}: {}", render::whole(row.get_ref(index)?)));
        }
        return Ok(Answer { text: lines.join("\n"), limit: None });
    }
    Err(refused(format!("no row '{key}' in '{}'", table.name)))
}

fn rows(connection: &Connection, wanted: &Rows) -> Result<Answer, DatabaseError> {
    let table = Table::find(connection, &wanted.table)?;
    let mut sql = format!("SELECT * FROM {}", table.quoted());
    if let Some(filter) = &wanted.filter {
        sql.push_str(&format!(" WHERE ({filter})"));
    }
    if let Some((column, descending)) = &wanted.order {
        let column = quoted(table.column(column)?);
        sql.push_str(&format!(" ORDER BY {column} {}", if *descending { "DESC" } else { "ASC" }));
    }
    let offset = i64::try_from(wanted.offset).unwrap_or(i64::MAX);
    sql.push_str(&format!(" LIMIT {} OFFSET {offset}", wanted.limit + 1));
    let found = collect(connection, &sql, wanted.limit)?;
    let mut text = found.text_or("(no rows)");
    if found.more {
        let shown = found.rows.len() as u64;
        let next = wanted.offset.saturating_add(shown);
        text.push_str(&format!("\n\n[{shown} rows shown; more follow. Use offset={next} to continue]"));
    }
    Ok(Answer { text, limit: None })
}

fn statement(connection: &Connection, sql: &str) -> Result<Answer, DatabaseError> {
    let found = collect(connection, sql, MAX_ROWS as u64)?;
    let mut text = found.text_or("(no rows)");
    if found.more {
        let shown = found.rows.len();
        text.push_str(&format!("\n\n[First {shown} rows shown. Narrow the statement to see others]"));
    }
    Ok(Answer { text, limit: found.more.then_some(found.rows.len()) })
}

/// Rows as text, and whether there are more.
struct Collected {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    more: bool,
}

impl Collected {
    fn text(&self) -> String {
        render::table(&self.columns, &self.rows)
    }

    fn text_or(&self, nothing: &str) -> String {
        if self.rows.is_empty() { nothing.to_owned() } else { self.text() }
    }
}

fn collect(connection: &Connection, sql: &str, limit: u64) -> Result<Collected, DatabaseError> {
    let mut statement = connection.prepare(sql)?;
    if statement.parameter_count() > 0 {
        return Err(refused(
            "the SQL has unbound parameters (?, :name); write the values into the statement",
        ));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = statement.query([])?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        if rows.len() as u64 == limit || bytes > MAX_CELLS {
            return Ok(Collected { columns, rows, more: true });
        }
        let cells = (0..columns.len()).map(|index| row.get_ref(index).map(render::cell));
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        bytes += cells.iter().map(String::len).sum::<usize>();
        rows.push(cells);
    }
    Ok(Collected { columns, rows, more: false })
}
