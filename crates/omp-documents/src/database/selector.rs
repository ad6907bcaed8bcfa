//! What stands behind the name of a database: `app.db:users?where=age > 30`.

use super::filter;

const ENDINGS: [&str; 4] = [".sqlite", ".sqlite3", ".db", ".db3"];

/// Rows of a query without a limit of its own, and the most there are.
const ROWS: u64 = 20;
const MAX_ROWS: u64 = 500;

/// What to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// The names of all tables.
    Tables,
    /// How a table is made, and its first rows.
    Schema(String),
    /// One row by its key.
    Row {
        table: String,
        key: String,
    },
    Rows(Rows),
    /// The answer to a statement.
    Sql(String),
}

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    pub table: String,
    pub limit: u64,
    pub offset: u64,
    /// A column, and whether the largest values come first.
    pub order: Option<(String, bool)>,
    /// A condition in SQL that was checked.
    pub filter: Option<String>,
}

/// What to write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub table: String,
    /// A new row if there is none.
    pub key: Option<String>,
}

/// All ways to read `typed` as a database and what is meant in it, the longest name first. The second part begins with
/// its `:` or `?`, or is empty.
pub fn splits(typed: &str) -> Vec<(&str, &str)> {
    let ends = typed.match_indices([':', '?']).map(|(at, _)| at).chain([typed.len()]);
    let named = |name: &str| {
        let name = name.to_ascii_lowercase();
        ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    let mut found: Vec<_> = ends.map(|at| typed.split_at(at)).filter(|(name, _)| named(name)).collect();
    found.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    found
}

impl Selector {
    /// Reads the part behind the name of the database.
    pub fn parse(rest: &str) -> Result<Self, String> {
        let (place, query) = match rest.split_once('?') {
            Some((place, query)) => (place, parameters(query)?),
            None => (rest, Vec::new()),
        };
        let place = place.strip_prefix(':').unwrap_or_default();
        if query.iter().any(|(name, _)| name == "q") {
            return sql(place, &query);
        }
        let (table, key) = place.split_once(':').map_or((place, None), |(table, key)| (table, Some(key)));
        match (table, key) {
            ("", None) if query.is_empty() => Ok(Self::Tables),
            ("", _) => {
                Err("specify a table before a row or a query, as in app.db:users?limit=5, or use ?q=SELECT …"
                    .into())
            }
            (_, Some(_)) if !query.is_empty() => {
                Err("a row lookup takes no query parameters; omit the key to query the table".into())
            }
            (table, Some("")) => Err(format!("the row key in '{table}' is empty")),
            (table, Some(key)) => Ok(Self::Row { table: table.to_owned(), key: key.to_owned() }),
            (table, None) if query.is_empty() => Ok(Self::Schema(table.to_owned())),
            (table, None) => Rows::parse(table, &query).map(Self::Rows),
        }
    }
}

fn sql(place: &str, query: &[(String, String)]) -> Result<Selector, String> {
    if !place.is_empty() {
        return Err("?q= cannot be combined with a table; name the table in the SQL".into());
    }
    match query {
        [(_, sql)] if sql.trim().is_empty() => Err("the statement after ?q= is empty".into()),
        [(_, sql)] => Ok(Selector::Sql(sql.clone())),
        _ => {
            Err("?q= cannot be combined with other parameters; put LIMIT, ORDER BY and WHERE into the SQL"
                .into())
        }
    }
}

impl Rows {
    fn parse(table: &str, query: &[(String, String)]) -> Result<Self, String> {
        let mut rows = Self { table: table.to_owned(), limit: ROWS, offset: 0, order: None, filter: None };
        for (name, value) in query {
            let number = || {
                let wrong = || format!("{name} must be an integer, not '{value}'");
                value.trim().parse::<u64>().map_err(|_| wrong())
            };
            match name.as_str() {
                "limit" => rows.limit = number()?.clamp(1, MAX_ROWS),
                "offset" => rows.offset = number()?,
                "order" => rows.order = Some(order(value)?),
                "where" => {
                    filter::check(value)?;
                    rows.filter = Some(value.clone());
                }
                other => {
                    return Err(format!(
                        "unknown query parameter '{other}' (known: limit, offset, order, where, and q \
                         alone)"
                    ));
                }
            }
        }
        Ok(rows)
    }
}

/// `column`, `column:asc` or `column:desc`.
fn order(value: &str) -> Result<(String, bool), String> {
    let (column, direction) = value.rsplit_once(':').unwrap_or((value, "asc"));
    match direction.to_ascii_lowercase().as_str() {
        "asc" => Ok((column.to_owned(), false)),
        "desc" => Ok((column.to_owned(), true)),
        other => Err(format!("order must end in :asc or :desc, not ':{other}'")),
    }
}

impl Target {
    /// Reads the part behind the name of the database.
    pub fn parse(rest: &str) -> Result<Self, String> {
        if rest.contains('?') {
            return Err("SQLite write paths do not support query parameters".into());
        }
        let place = rest.strip_prefix(':').unwrap_or_default();
        let (table, key) = place.split_once(':').map_or((place, None), |(table, key)| (table, Some(key)));
        if table.is_empty() {
            return Err("SQLite write path must target a table".into());
        }
        if key.is_some_and(|key| key.trim().is_empty()) {
            return Err("SQLite row writes require a non-empty row key".into());
        }
        Ok(Self { table: table.to_owned(), key: key.map(str::to_owned) })
    }
}

/// `a=1&b=2`. An `&` that no `name=` follows belongs to the value, so that SQL can have it.
fn parameters(query: &str) -> Result<Vec<(String, String)>, String> {
    let mut parts: Vec<String> = Vec::new();
    for part in query.split('&') {
        let name = part.split_once('=').map(|(name, _)| name);
        let begins = name.is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        match parts.last_mut() {
            Some(last) if !begins => {
                last.push('&');
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    let named = |part: String| match part.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), decode(value))),
        None => Err(format!("'{part}' is not a query parameter; write name=value, e.g. ?limit=5")),
    };
    parts.into_iter().filter(|part| !part.is_empty()).map(named).collect()
}

/// Values with blanks are meant as they are written; without any they may be encoded as in web addresses.
fn decode(value: &str) -> String {
    if value.contains(char::is_whitespace) {
        return value.to_owned();
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(match (byte, first) {
            (Some(byte), _) => byte,
            (None, b'+') => b' ',
            (None, other) => *other,
        });
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_databases() {
        assert_eq!(splits("a.db:users:1"), [("a.db", ":users:1")]);
        assert_eq!(splits("a.sqlite?q=SELECT 1"), [("a.sqlite", "?q=SELECT 1")]);
        assert_eq!(splits("x/a.DB3"), [("x/a.DB3", "")]);
        assert!(splits("a.database:users").is_empty());
    }

    #[test]
    fn values_as_written_and_as_encoded() {
        let sql = |rest: &str| match Selector::parse(rest) {
            Ok(Selector::Sql(sql)) => sql,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            sql("?q=SELECT a + 1 FROM t WHERE n LIKE '%ab%'"),
            "SELECT a + 1 FROM t WHERE n LIKE '%ab%'"
        );
        assert_eq!(sql("?q=SELECT+a%2B1+FROM+t"), "SELECT a+1 FROM t");
        assert_eq!(sql("?q=SELECT a & b FROM t"), "SELECT a & b FROM t");
        assert_eq!(sql("?q=SELECT a ? b"), "SELECT a ? b");
    }
}
