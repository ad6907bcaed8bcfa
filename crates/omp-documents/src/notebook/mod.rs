//! Jupyter notebooks as text that can be read and edited: each cell below a line that names it.
//!
//! ```text
//! # %% [markdown] cell:0
//! Some words
//! # %% [code] cell:1
//! print(1)
//! ```
//!
//! Such text is put back into the notebook cell by cell. Whatever the text does not change stays byte by byte as it was:
//! outputs, metadata, fields that nobody knows, and the layout of the file. A line of a cell that looks like such a mark
//! is shown with a backslash before it. No kernel is ever started.

mod json;
mod text;

use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use json::{Layout, offset};
use text::{Block, CellKind};

/// Larger notebooks are not taken apart.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What a new notebook begins with.
const EMPTY: &str = "{\n \"cells\": [],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

/// Why a file is no notebook, or a text no cells.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotebookError {
    #[error("Invalid JSON in notebook: {0}")]
    Json(String),
    #[error("Invalid notebook structure ({0})")]
    Structure(&'static str),
    #[error("Invalid notebook cell {0}: {1}")]
    Cell(usize, String),
    #[error(
        "text before the first cell: start with a line such as '# %% [code] cell:0' (nothing was written)"
    )]
    BeforeFirstCell,
}

/// A notebook and where its cells are.
#[derive(Clone, Debug)]
pub struct Notebook {
    source: String,
    /// The list of cells, with its brackets.
    list: Range<usize>,
    cells: Vec<Cell>,
    layout: Layout,
    /// Cells have names of their own.
    named: bool,
}

#[derive(Clone, Debug)]
struct Cell {
    /// The cell in the file.
    place: Range<usize>,
    /// The value of its `source`, if it has one.
    source: Option<Range<usize>>,
    kind: CellKind,
    text: String,
    /// A code cell has both of `outputs` and `execution_count`.
    complete: bool,
}

impl Notebook {
    /// A notebook without cells.
    pub fn empty() -> Self {
        let source = EMPTY.to_owned();
        let start = source.find('[').unwrap_or_default();
        let layout = Layout::of(&source);
        Self { list: start..start + 2, source, cells: Vec::new(), layout, named: true }
    }

    /// Takes a file apart.
    pub fn parse(bytes: &[u8]) -> Result<Self, NotebookError> {
        let invalid = |error: &dyn std::fmt::Display| NotebookError::Json(error.to_string());
        let source = std::str::from_utf8(bytes).map_err(|error| invalid(&error))?;
        let json = source.strip_prefix('\u{feff}').unwrap_or(source);
        let whole: &RawValue = serde_json::from_str(json).map_err(|error| invalid(&error))?;
        let fields = json::fields(whole.get()).ok_or(NotebookError::Structure("it is not a JSON object"))?;
        let list = json::field(&fields, "cells").ok_or(NotebookError::Structure("it has no cells"))?;
        let cells: Vec<&RawValue> = serde_json::from_str(list.get())
            .map_err(|_| NotebookError::Structure("its cells are not a list"))?;
        let number = |name| json::field(&fields, name).and_then(|raw| raw.get().parse::<u64>().ok());
        let version = (number("nbformat").unwrap_or(4), number("nbformat_minor").unwrap_or(0));
        let cells = cells.iter().enumerate().map(|(number, raw)| Cell::parse(source, number, raw.get()));
        Ok(Self {
            list: offset(source, list.get()),
            cells: cells.collect::<Result<_, _>>()?,
            layout: Layout::of(json),
            named: version >= (4, 5),
            source: source.to_owned(),
        })
    }

    /// The cells as text.
    pub fn text(&self) -> String {
        let cells = self.cells.iter().enumerate();
        cells.map(|(number, cell)| text::render(number, cell.kind, &cell.text) + "\n").collect()
    }

    /// The file as it is.
    pub fn json(&self) -> &str {
        &self.source
    }

    /// The file with the cells that `text` has.
    pub fn with_text(&self, text: &str) -> Result<String, NotebookError> {
        let blocks = text::parse(text)?;
        let mut used = vec![false; self.cells.len()];
        let mut new = Vec::with_capacity(blocks.len());
        let mut order = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let old = block.number.filter(|number| used.get(*number) == Some(&false));
            if let Some(number) = old {
                used[number] = true;
            }
            order.push(old);
            new.push(match old {
                Some(number) => self.changed(number, block)?,
                None => self.layout.cell(&self.fresh(block)),
            });
        }
        let kept = order.iter().enumerate().all(|(place, old)| *old == Some(place));
        if kept && order.len() == self.cells.len() {
            return Ok(self.in_place(&new));
        }
        let list = self.layout.list(&new);
        Ok([&self.source[..self.list.start], &list, &self.source[self.list.end..]].concat())
    }

    /// The same cells in the same order: what lies between them stays too.
    fn in_place(&self, cells: &[String]) -> String {
        let mut result = String::with_capacity(self.source.len());
        let mut position = 0;
        for (old, new) in self.cells.iter().zip(cells) {
            result.push_str(&self.source[position..old.place.start]);
            result.push_str(new);
            position = old.place.end;
        }
        result.push_str(&self.source[position..]);
        result
    }

    /// An existing cell with the kind and the source of a block.
    fn changed(&self, number: usize, block: &Block) -> Result<String, NotebookError> {
        let cell = &self.cells[number];
        let old = &self.source[cell.place.clone()];
        // A block has lines as they are shown, without the ends they have on Windows.
        if cell.kind == block.kind && cell.text.replace("\r\n", "\n") == block.source {
            return Ok(old.to_owned());
        }
        if let Some(source) = cell.source.clone().filter(|_| cell.kind == block.kind && cell.complete) {
            let new = self.layout.source(&block.source);
            let (before, after) = (source.start - cell.place.start, source.end - cell.place.start);
            return Ok([&old[..before], &new, &old[after..]].concat());
        }
        let mut fields = match serde_json::from_str(old) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err(NotebookError::Cell(number, "it is not an object".to_owned())),
            Err(error) => return Err(NotebookError::Cell(number, error.to_string())),
        };
        fields.insert("cell_type".to_owned(), block.kind.name().into());
        match block.kind {
            CellKind::Code => {
                fields.entry("execution_count").or_insert(Value::Null);
                fields.entry("outputs").or_insert_with(|| Value::Array(Vec::new()));
            }
            CellKind::Markdown | CellKind::Raw => {
                fields.shift_remove("execution_count");
                fields.shift_remove("outputs");
            }
        }
        fields.insert("source".to_owned(), json::lines(&block.source));
        Ok(self.layout.cell(&Value::Object(fields)))
    }

    /// A new cell.
    fn fresh(&self, block: &Block) -> Value {
        let mut fields = serde_json::Map::new();
        fields.insert("cell_type".to_owned(), block.kind.name().into());
        if block.kind == CellKind::Code {
            fields.insert("execution_count".to_owned(), Value::Null);
        }
        if self.named {
            fields.insert("id".to_owned(), format!("{:08x}", fastrand::u32(..)).into());
        }
        fields.insert("metadata".to_owned(), Value::Object(serde_json::Map::new()));
        if block.kind == CellKind::Code {
            fields.insert("outputs".to_owned(), Value::Array(Vec::new()));
        }
        fields.insert("source".to_owned(), json::lines(&block.source));
        Value::Object(fields)
    }
}

impl Cell {
    fn parse(file: &str, number: usize, raw: &str) -> Result<Self, NotebookError> {
        let invalid = |reason: &str| NotebookError::Cell(number, reason.to_owned());
        let fields = json::fields(raw).ok_or_else(|| invalid("it is not an object"))?;
        let kind =
            json::field(&fields, "cell_type").and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        let kind = kind.as_deref().and_then(CellKind::of).ok_or_else(|| invalid("its type is unknown"))?;
        let source = json::field(&fields, "source");
        let text = match source {
            Some(source) => json::text(source.get()).ok_or_else(|| invalid("its source is not text"))?,
            None => String::new(),
        };
        let has = |name| json::field(&fields, name).is_some();
        let complete = kind != CellKind::Code || (has("outputs") && has("execution_count"));
        let place = |part: &str| offset(file, part);
        Ok(Self { place: place(raw), source: source.map(|source| place(source.get())), kind, text, complete })
    }
}
