//! SQLite databases.

use std::cell::RefCell;
use std::rc::Rc;

use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value, json};

use super::{Arguments, NOTHING, Op, OpError, Outcome, Reply};
use crate::state::State;
use crate::unit::Touch;

pub(super) const OPS: &[(&str, Op)] = &[
    ("sqlite.open", Op::Now(open)),
    ("sqlite.exec", Op::Now(exec)),
    ("sqlite.query", Op::Now(query)),
    ("sqlite.close", Op::Now(close)),
];

/// A script that selects more than that wants a different query.
const MOST_ROWS: usize = 1_000_000;

struct Database(RefCell<Connection>);

fn failed(error: &rusqlite::Error) -> OpError {
    let code = error.sqlite_error().map_or(1, |error| error.extended_code);
    let words = match error {
        rusqlite::Error::SqliteFailure(_, Some(words)) => words.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    OpError::new(words).with("code", "ERR_SQLITE_ERROR").with("errcode", code)
}

fn open(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let path = arguments.text("path");
    let connection = if path == ":memory:" || path.is_empty() {
        Connection::open_in_memory()
    } else {
        let readonly = arguments.flag("readonly");
        state.shared.touch(if readonly { Touch::Read } else { Touch::Written }, path);
        let flags = if readonly {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else if arguments.flag("existing") {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        };
        Connection::open_with_flags(path, flags)
    };
    let connection = connection.map_err(|error| failed(&error))?;
    Ok(Reply::Json(state.keep(Rc::new(Database(RefCell::new(connection)))).into()))
}

fn database(state: &State, arguments: &Arguments) -> Result<Rc<Database>, OpError> {
    state
        .resource(arguments.id())
        .ok_or_else(|| OpError::new("database is not open").with("code", "ERR_INVALID_STATE"))
}

fn exec(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let database = database(state, arguments)?;
    database.0.borrow().execute_batch(arguments.text("sql")).map_err(|error| failed(&error))?;
    NOTHING
}

/// Values come as `[kind, value]`: JSON has neither large integers nor bytes.
fn cell(value: &Value) -> Cell {
    let text = || value.get(1).and_then(Value::as_str).unwrap_or_default();
    match value.get(0).and_then(Value::as_str) {
        Some("integer") => text().parse().map_or(Cell::Null, Cell::Integer),
        Some("real") => value.get(1).and_then(Value::as_f64).map_or(Cell::Null, Cell::Real),
        Some("text") => Cell::Text(text().to_owned()),
        Some("blob") => Cell::Blob(bytes(text())),
        _ => Cell::Null,
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..hex.len()).step_by(2).filter_map(digit).collect()
}

fn shown(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        // What a number of JavaScript cannot hold is told as what it is.
        ValueRef::Integer(number) if number.unsigned_abs() > (1 << 53) - 1 => {
            json!({ "integer": number.to_string() })
        }
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(blob) => {
            let hex: String = blob.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "blob": hex })
        }
    }
}

/// The rows of one statement, with the names of their columns, and what it changed.
fn query(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let database = database(state, arguments)?;
    let connection = database.0.borrow();
    let mut statement = connection.prepare(arguments.text("sql")).map_err(|error| failed(&error))?;
    bind(&mut statement, arguments)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let most = arguments.number("most").and_then(|most| usize::try_from(most).ok()).unwrap_or(MOST_ROWS);
    let mut rows = Vec::new();
    let mut cursor = statement.raw_query();
    while rows.len() < most {
        let Some(row) = cursor.next().map_err(|error| failed(&error))? else { break };
        let cells: Result<Vec<Value>, _> = (0..names.len()).map(|at| row.get_ref(at).map(shown)).collect();
        rows.push(Value::from(cells.map_err(|error| failed(&error))?));
    }
    drop(cursor);
    drop(statement);
    Ok(Reply::Json(json!({
        "columns": names, "rows": rows, "changes": connection.changes(), "last": connection.last_insert_rowid(),
    })))
}

fn bind(statement: &mut rusqlite::Statement<'_>, arguments: &Arguments) -> Result<(), OpError> {
    let empty = Map::new();
    let named = arguments.json.get("named").and_then(Value::as_object).unwrap_or(&empty);
    for (name, value) in named {
        // Names may be given without their first letter.
        let found = ["", ":", "$", "@"]
            .iter()
            .find_map(|sign| statement.parameter_index(&format!("{sign}{name}")).ok()?);
        let at = found.ok_or_else(|| {
            OpError::new(format!("Unknown named parameter '{name}'")).with("code", "ERR_INVALID_STATE")
        })?;
        statement.raw_bind_parameter(at, cell(value)).map_err(|error| failed(&error))?;
    }
    for (at, value) in
        arguments.json.get("values").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        statement.raw_bind_parameter(at + 1, cell(value)).map_err(|error| failed(&error))?;
    }
    Ok(())
}

fn close(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    database(state, arguments)?;
    state.release(arguments.id());
    NOTHING
}
