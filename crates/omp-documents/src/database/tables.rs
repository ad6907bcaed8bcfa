//! Tables and their keys.

use rusqlite::{Connection, OptionalExtension};

use super::render::one_line;
use super::{DatabaseError, refused};

/// What is known of a table.
pub(super) struct Table {
    pub(super) name: String,
    /// The statement that makes it.
    pub(super) sql: String,
    pub(super) columns: Vec<String>,
    key: Vec<String>,
    kind: String,
    without_rowid: bool,
}

/// How rows of a table are found.
pub(super) enum Key<'a> {
    Column(&'a str),
    Rowid,
}

/// A name as SQL takes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    /// Finds a table or a view.
    pub(super) fn find(connection: &Connection, name: &str) -> Result<Self, DatabaseError> {
        let found = connection
            .query_row(
                "SELECT l.name, l.type, l.wr, coalesce(m.sql, '') FROM pragma_table_list AS l \
                 LEFT JOIN sqlite_schema AS m ON m.name = l.name AND m.type IN ('table', 'view') \
                 WHERE l.schema = 'main' AND l.name = ?1 COLLATE NOCASE",
                [name],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
            .optional()?;
        let Some((name, kind, without_rowid, sql)): Option<(String, String, bool, String)> = found else {
            return Err(refused(format!("no table '{name}' ({})", known(connection)?)));
        };
        let mut statement =
            connection.prepare("SELECT name, pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1")?;
        let rows = statement.query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let columns = rows.collect::<Result<Vec<(String, i64)>, _>>()?;
        let key = columns.iter().filter(|(_, place)| *place > 0).map(|(name, _)| name.clone()).collect();
        let columns = columns.into_iter().map(|(name, _)| name).collect();
        Ok(Self { name, sql, columns, key, kind, without_rowid })
    }

    pub(super) fn quoted(&self) -> String {
        quoted(&self.name)
    }

    /// The column of that name, as it is written in the table.
    pub(super) fn column(&self, name: &str) -> Result<&str, DatabaseError> {
        let found = self.columns.iter().find(|column| column.eq_ignore_ascii_case(name));
        found.map(String::as_str).ok_or_else(|| {
            let known = self.columns.join(", ");
            refused(format!("the table '{}' has no column '{name}' (columns: {known})", self.name))
        })
    }

    /// What a key in a path is compared with.
    pub(super) fn key(&self) -> Result<Key<'_>, DatabaseError> {
        match self.key.as_slice() {
            [column] => Ok(Key::Column(column)),
            _ if self.without_rowid || self.kind == "view" => Err(refused(format!(
                "'{}' has neither a single-column primary key nor a rowid; use ?where= instead of a key",
                self.name
            ))),
            _ => Ok(Key::Rowid),
        }
    }

    /// The same for changes, where nothing may be guessed.
    pub(super) fn key_for_writing(&self) -> Result<Key<'_>, DatabaseError> {
        let name = &self.name;
        if self.without_rowid {
            return Err(refused(format!(
                "'{name}' is a WITHOUT ROWID table; its rows cannot be changed by a key"
            )));
        }
        if self.key.len() > 1 {
            return Err(refused(format!(
                "'{name}' has a composite primary key ({}); its rows cannot be changed by one key",
                self.key.join(", ")
            )));
        }
        self.key()
    }
}

impl Key<'_> {
    /// The condition for one row, with `?1` for the key.
    pub(super) fn condition(&self) -> String {
        match self {
            Self::Column(column) => format!("{} = ?1", quoted(column)),
            Self::Rowid => "rowid = ?1".to_owned(),
        }
    }

    /// The values that a typed key may stand for, the likeliest first. A column that takes numbers makes one of the text
    /// by itself.
    pub(super) fn values(&self, key: &str) -> Vec<rusqlite::types::Value> {
        use rusqlite::types::Value;
        let integer = key.trim().parse::<i64>().ok().map(Value::Integer);
        match self {
            Self::Rowid => integer.into_iter().collect(),
            Self::Column(_) => [Value::Text(key.to_owned())].into_iter().chain(integer).collect(),
        }
    }
}

fn known(connection: &Connection) -> Result<String, DatabaseError> {
    const SHOWN: usize = 20;
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY name LIMIT 21",
    )?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let more = if names.len() > SHOWN { ", …" } else { "" };
    let names: Vec<String> = names.iter().take(SHOWN).map(|name| one_line(name)).collect();
    Ok(match names.is_empty() {
        true => "the database has no tables".to_owned(),
        false => format!("tables: {}{more}", names.join(", ")),
    })
}
