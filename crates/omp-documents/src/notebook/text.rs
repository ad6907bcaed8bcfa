//! Cells as marked text, and back.

use super::NotebookError;

/// Kinds of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    Code,
    Markdown,
    Raw,
}

impl CellKind {
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "code" => Some(Self::Code),
            "markdown" => Some(Self::Markdown),
            "raw" => Some(Self::Raw),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// A cell in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: CellKind,
    pub(super) number: Option<usize>,
    pub(super) source: String,
}

/// A cell as text, without a line end at its end.
pub(super) fn render(number: usize, kind: CellKind, source: &str) -> String {
    let mut text = format!("# %% [{}] cell:{number}", kind.name());
    if source.is_empty() {
        return text;
    }
    for line in source.split('\n') {
        text.push('\n');
        if mark(line.trim_start_matches('\\')).is_some() {
            text.push('\\');
        }
        text.push_str(line);
    }
    text
}

/// The kind and the number that a line names, if it is a mark.
fn mark(line: &str) -> Option<(CellKind, Option<usize>)> {
    let rest = line.strip_prefix("# %% [")?;
    let (kind, rest) = rest.split_once(']')?;
    let kind = CellKind::of(kind)?;
    match rest.trim() {
        "" => Some((kind, None)),
        rest => rest.strip_prefix("cell:")?.parse().ok().map(|number| (kind, Some(number))),
    }
}

/// The cells of a text. Its last line end is not part of the last cell.
pub(super) fn parse(text: &str) -> Result<Vec<Block>, NotebookError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let mut blocks: Vec<(CellKind, Option<usize>, Vec<&str>)> = Vec::new();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    for line in text.split('\n') {
        match (mark(line), blocks.last_mut()) {
            (Some((kind, number)), _) => blocks.push((kind, number, Vec::new())),
            (None, Some((.., lines))) => {
                let escaped = line.starts_with('\\') && mark(line.trim_start_matches('\\')).is_some();
                lines.push(if escaped { &line[1..] } else { line });
            }
            (None, None) => return Err(NotebookError::BeforeFirstCell),
        }
    }
    let block = |(kind, number, lines): (_, _, Vec<&str>)| Block { kind, number, source: lines.join("\n") };
    Ok(blocks.into_iter().map(block).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_comes_back() {
        for source in [
            "",
            "a",
            "a\n",
            "\n",
            "\n\n",
            "a\n\nb",
            "# %% [code]",
            "\\# %% [raw] cell:3\nx",
            "\\\\# %% [code]",
            "# %% [x]",
            "a\\",
        ] {
            let text =
                [render(0, CellKind::Code, source), render(1, CellKind::Raw, source)].join("\n") + "\n";
            let blocks = parse(&text).unwrap();
            let expected = |kind, number| Block { kind, number: Some(number), source: source.to_owned() };
            assert_eq!(
                blocks,
                [expected(CellKind::Code, 0), expected(CellKind::Raw, 1)],
                "{source:?}\n{text}"
            );
        }
    }

    #[test]
    fn marks() {
        assert_eq!(mark("# %% [code] cell:12"), Some((CellKind::Code, Some(12))));
        assert_eq!(mark("# %% [markdown]"), Some((CellKind::Markdown, None)));
        for line in [
            "#%% [code]",
            "# %% code",
            "# %% [code] cell:x",
            "# %% [code] title",
            " # %% [code]",
            "# %% [html]",
        ] {
            assert_eq!(mark(line), None, "{line}");
        }
    }
}
