//! Calls in sentences, for people who listen to the screen or read it line by line.

use super::{Call, Drawing, Expansion, Phase, draw};
use crate::Look;

/// What a call is about to do: `bash: cargo test`.
pub fn beginning(look: &Look, call: &Call) -> String {
    let call = &*call.visible();
    let drawn = draw(&Drawing { look, call, expansion: Expansion::Collapsed });
    let subject = drawn.subject.split_whitespace().collect::<Vec<_>>().join(" ");
    match subject.is_empty() {
        true => call.name.clone(),
        false => format!("{}: {subject}", call.name),
    }
}

/// What came of a call: a sentence, then what there is to see, without colours.
pub fn ending(look: &Look, call: &Call) -> Vec<String> {
    let call = &*call.visible();
    let drawn = draw(&Drawing { look, call, expansion: Expansion::Collapsed });
    let name = &call.name;
    let sentence = match call.phase {
        Phase::Done if drawn.figure.is_empty() => format!("{name} is done."),
        Phase::Done => format!("{name} is done: {}.", drawn.figure),
        Phase::Failed => format!("{name} failed."),
        Phase::Denied => format!("{name} was not allowed."),
        Phase::Aborted => format!("{name} was stopped."),
        Phase::Pending | Phase::Ready | Phase::Running => format!("{name} is still running."),
    };
    let body = drawn.body.iter().map(|row| format!("  {}", row.text().trim_end()).trim_end().to_owned());
    std::iter::once(sentence).chain(body).collect()
}

#[cfg(test)]
mod tests {
    use omp_types::ToolOutput;

    use super::*;
    use crate::testing::look;

    #[test]
    fn calls_are_sentences() {
        let arguments = serde_json::json!({ "command": "echo hi" });
        let call = Call::new("bash").with_arguments(arguments.as_object().cloned().unwrap());
        assert_eq!(beginning(&look(80), &call), "bash: echo hi");
        let done = Call { phase: Phase::Done, output: ToolOutput::text("hi\n"), ..call.clone() };
        assert_eq!(ending(&look(80), &done), ["bash is done.", "  hi"]);
        let failed = Call { phase: Phase::Failed, output: ToolOutput::text("no such file"), ..call };
        assert_eq!(ending(&look(80), &failed), ["bash failed.", "  no such file"]);
    }
}
