//! Tools in a dump.

use std::io::{self, Write};

use omp_types::ToolDefinition;
use serde_json::Value;

use super::Form;
use crate::number::one_line;

pub(super) fn write(tools: &[ToolDefinition], form: Form, out: &mut dyn Write) -> io::Result<()> {
    for (index, tool) in tools.iter().enumerate() {
        match form {
            Form::Compact => {
                let parameters = parameters(&tool.parameters).join(", ");
                writeln!(out, "{}({parameters}): {}", tool.name, one_line(&tool.description, 200))?;
            }
            Form::Raw => {
                let schema = serde_json::to_string_pretty(&tool.parameters)?;
                let gap = if index == 0 { "" } else { "\n" };
                writeln!(
                    out,
                    "{gap}--- {}\n{}\n\nParameters: {schema}",
                    tool.name,
                    tool.description.trim_end()
                )?;
            }
        }
    }
    Ok(())
}

/// `name: type` for each parameter, with a question mark for what may be left out.
fn parameters(schema: &Value) -> Vec<String> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, schema)| {
            let optional = if required.contains(&name.as_str()) { "" } else { "?" };
            match schema["type"].as_str() {
                Some(kind) => format!("{name}{optional}: {kind}"),
                None => format!("{name}{optional}"),
            }
        })
        .collect()
}
