//! One row: new, changed or deleted.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::connection::Database;
use super::selector::Target;
use super::tables::{Table, quoted};
use super::{DatabaseError, refused};
use crate::stop::Stop;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Inserted,
    Updated,
    NothingUpdated,
    Deleted,
    NothingDeleted,
}

/// Writes one row: a JSON5 object for a new row or for columns to change, nothing at all to delete it. The path has no
/// links.
pub fn write(path: &Path, target: &Target, content: &str, stop: &Stop) -> Result<Change, DatabaseError> {
    let delete = content.trim().is_empty() && target.key.is_some();
    let fields = if delete { Fields::new() } else { fields(content)? };
    let database = Database::writable(path, stop)?;
    database.patiently(|connection| {
        let table = Table::find(connection, &target.table)?;
        match &target.key {
            None => insert(connection, &table, &fields),
            Some(key) if delete => remove(connection, &table, key),
            Some(key) => update(connection, &table, key, &fields),
        }
    })
}

type Fields = BTreeMap<String, Value>;

/// A value as JSON5 has it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Null(()),
    Boolean(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    Other(IgnoredAny),
}

/// Brackets inside brackets. A row has one pair, and the parser follows them by recursion.
const MAX_DEPTH: usize = 64;

/// Would parsing it fill the stack? What is quoted or a comment does not count.
fn is_too_deep(content: &str) -> bool {
    let (mut depth, mut rest) = (0_usize, content);
    while let Some(at) = rest.find(['[', '{', ']', '}', '"', '\'', '/']) {
        let (sign, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = match sign {
            b'/' => behind_comment(after),
            quote @ (b'"' | b'\'') => behind_string(after, quote),
            bracket => {
                let opens = matches!(bracket, b'[' | b'{');
                depth = if opens { depth + 1 } else { depth.saturating_sub(1) };
                after
            }
        };
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// What follows a comment whose first slash stands before `text`; all of it if there is none.
fn behind_comment(text: &str) -> &str {
    match text.as_bytes().first() {
        Some(b'/') => text.find(['\n', '\r', '\u{2028}', '\u{2029}']).map_or("", |end| &text[end..]),
        Some(b'*') => text[1..].split_once("*/").map_or("", |(_, after)| after),
        _ => text,
    }
}

/// What follows a string whose first quote stands before `text`.
fn behind_string(text: &str, quote: u8) -> &str {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == quote && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or("", |end| &text[end + 1..])
}

fn fields(content: &str) -> Result<Fields, DatabaseError> {
    if is_too_deep(content) {
        return Err(refused("the content is nested too deeply; write a row as {column: value}"));
    }
    let value: serde_json::Value = json5::from_str(content).map_err(|error| {
        refused(format!("the content is not valid JSON5 ({error}); write a row as {{column: value}}"))
    })?;
    if !value.is_object() {
        return Err(refused(
            "the content must be a JSON5 object with columns and values, as in {name: 'Ada'}",
        ));
    }
    let scalars: BTreeMap<String, Scalar> = json5::from_str(content)
        .map_err(|error| refused(format!("the content is not valid JSON5 ({error})")))?;
    let sql = |(name, scalar): (String, Scalar)| {
        let value = match scalar {
            Scalar::Null(()) => Value::Null,
            Scalar::Boolean(yes) => Value::Integer(i64::from(yes)),
            Scalar::Integer(number) => Value::Integer(number),
            Scalar::Real(number) if number.is_finite() => Value::Real(number),
            Scalar::Text(text) => Value::Text(text),
            Scalar::Real(_) => return Err(refused(format!("the value of '{name}' is not a finite number"))),
            Scalar::Other(IgnoredAny) => {
                return Err(refused(format!(
                    "the value of '{name}' must be a string, number, boolean or null; write lists and \
                     objects as JSON text"
                )));
            }
        };
        Ok((name, value))
    };
    scalars.into_iter().map(sql).collect()
}

fn insert(connection: &Connection, table: &Table, fields: &Fields) -> Result<Change, DatabaseError> {
    if fields.is_empty() {
        connection.execute(&format!("INSERT INTO {} DEFAULT VALUES", table.quoted()), [])?;
        return Ok(Change::Inserted);
    }
    let columns = fields.keys().map(|name| Ok(quoted(table.column(name)?)));
    let columns = columns.collect::<Result<Vec<_>, DatabaseError>>()?.join(", ");
    let places = vec!["?"; fields.len()].join(", ");
    let sql = format!("INSERT INTO {} ({columns}) VALUES ({places})", table.quoted());
    connection.execute(&sql, params_from_iter(fields.values()))?;
    Ok(Change::Inserted)
}

fn update(
    connection: &Connection,
    table: &Table,
    key: &str,
    fields: &Fields,
) -> Result<Change, DatabaseError> {
    let by = table.key_for_writing()?;
    if fields.is_empty() {
        return Err(refused("the object has no columns to change; empty content deletes the row"));
    }
    let sets = fields.keys().zip(2..).map(|(name, place)| {
        let column = quoted(table.column(name)?);
        Ok(format!("{column} = ?{place}"))
    });
    let sets = sets.collect::<Result<Vec<_>, DatabaseError>>()?.join(", ");
    let sql = format!("UPDATE {} SET {sets} WHERE {}", table.quoted(), by.condition());
    for value in by.values(key) {
        let values = std::iter::once(&value).chain(fields.values());
        if connection.execute(&sql, params_from_iter(values))? > 0 {
            return Ok(Change::Updated);
        }
    }
    Ok(Change::NothingUpdated)
}

fn remove(connection: &Connection, table: &Table, key: &str) -> Result<Change, DatabaseError> {
    let by = table.key_for_writing()?;
    let sql = format!("DELETE FROM {} WHERE {}", table.quoted(), by.condition());
    for value in by.values(key) {
        if connection.execute(&sql, [value])? > 0 {
            return Ok(Change::Deleted);
        }
    }
    Ok(Change::NothingDeleted)
}
