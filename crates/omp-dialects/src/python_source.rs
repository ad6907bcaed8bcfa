//! The little Python that models write to call tools: calls with keyword arguments whose values are literals.

use serde_json::{Map, Value};

use super::python_literal::Reader;

/// One call of a block, in the order of the source.
pub(crate) enum Statement {
    Call {
        name: String,
        arguments: Map<String, Value>,
    },
    /// It cannot be understood, so it must not run. `written` is no JSON.
    Invalid {
        name: String,
        written: String,
    },
}

/// Reads all statements. After one that cannot be understood the next line is tried.
pub(crate) fn parse(text: &str) -> Vec<Statement> {
    let mut reader = Reader::new(text);
    let mut statements = Vec::new();
    loop {
        reader.skip_blank();
        if reader.is_at_end() {
            return statements;
        }
        let start = reader.position();
        let mut calls = Vec::new();
        if statement(&mut reader, &mut calls).is_some() {
            statements.extend(calls.into_iter().map(|(name, arguments)| Statement::Call { name, arguments }));
        } else {
            reader.skip_line();
            let written = text[start..reader.position()].trim().to_owned();
            statements.push(Statement::Invalid { name: first_name(&written), written });
        }
    }
}

type Call = (String, Map<String, Value>);

/// `[name =] calls`, to the end of the line.
fn statement(reader: &mut Reader<'_>, calls: &mut Vec<Call>) -> Option<()> {
    reader.assignment();
    expression(reader, calls, 0)?;
    reader.ends_statement().then_some(())
}

/// A call, or a list of calls.
fn expression(reader: &mut Reader<'_>, calls: &mut Vec<Call>, depth: usize) -> Option<()> {
    if depth > 4 {
        return None;
    }
    if !reader.take('[') {
        return call(reader, calls, depth);
    }
    loop {
        reader.skip_blank();
        if reader.take(']') {
            return Some(());
        }
        expression(reader, calls, depth + 1)?;
        reader.skip_blank();
        if !reader.take(',') && !reader.is_next(']') {
            return None;
        }
    }
}

fn call(reader: &mut Reader<'_>, calls: &mut Vec<Call>, depth: usize) -> Option<()> {
    let name = reader.dotted_name()?;
    reader.skip_space();
    if !reader.take('(') {
        return None;
    }
    reader.skip_blank();
    // Printing is how some models are taught to say it; it is no tool.
    if name == "print" {
        expression(reader, calls, depth + 1)?;
        reader.skip_blank();
        return reader.take(')').then_some(());
    }
    let name = name.rsplit('.').next().unwrap_or(&name).to_owned();
    let arguments = keywords(reader)?;
    calls.push((name, arguments));
    Some(())
}

/// Keyword arguments and the closing parenthesis. A positional argument has no name to map it to.
fn keywords(reader: &mut Reader<'_>) -> Option<Map<String, Value>> {
    let mut arguments = Map::new();
    loop {
        reader.skip_blank();
        if reader.take(')') {
            return Some(arguments);
        }
        let key = reader.identifier()?.to_owned();
        reader.skip_blank();
        if !reader.take('=') {
            return None;
        }
        reader.skip_blank();
        let value = reader.literal(0)?;
        arguments.insert(key, value);
        reader.skip_blank();
        if !reader.take(',') && !reader.is_next(')') {
            return None;
        }
    }
}

/// The tool a piece of source is about, as far as it can be told.
pub(crate) fn first_name(text: &str) -> String {
    let mut reader = Reader::new(text);
    reader.skip_blank();
    reader.assignment();
    loop {
        reader.skip_blank();
        if reader.take('[') {
            continue;
        }
        let Some(name) = reader.dotted_name() else { return String::new() };
        reader.skip_space();
        if !reader.take('(') {
            return String::new();
        }
        if name != "print" {
            return name.rsplit('.').next().unwrap_or_default().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_call_still_says_whose_it_is() {
        assert_eq!(first_name("x = print(default_api.read(path='a"), "read");
        assert_eq!(first_name("[read(path="), "read");
        assert_eq!(first_name("print(default_ap"), "");
        assert_eq!(first_name("1 + 1"), "");
    }
}
