//! The text beside the frames: how to read them.

use crate::archive::Archive;
use crate::shape::{Layout, Shape};

const GUIDE: &str = include_str!("../prompts/guide.md");

/// How to read frames of earlier compactions.
pub fn reading_guide(archive: &Archive) -> String {
    let frame = archive.frames.last();
    let mut shape = frame.and_then(|frame| Shape::named(&frame.shape)).unwrap_or(Shape::of("auto", "", ""));
    shape.width = frame.map_or(shape.width, |frame| frame.width);
    guide(archive, shape)
}

/// Says how the frames are laid out, which tags they use and what is missing on them.
pub(crate) fn guide(archive: &Archive, shape: Shape) -> String {
    let (columns, rows) = shape.grid();
    let layout = match shape.layout {
        Layout::Grid => format!("a grid of {columns} characters a line and up to {rows} lines"),
        Layout::Columns => format!(
            "two columns of {columns} characters a line, up to {} lines each, the left column first",
            rows / 2
        ),
    };
    let mut text = GUIDE
        .trim_end()
        .replace("{frames}", &archive.frames.len().to_string())
        .replace("{layout}", &layout)
        .replace("{cell}", &format!("{}x{}", shape.cell.0, shape.cell.1));
    if archive.dropped > 0 {
        text.push_str(&format!(
            "\n- {} frames from the middle of the history were dropped; the first frame is the beginning.",
            archive.dropped
        ));
    }
    if !archive.text_tail.spans.is_empty() {
        text.push_str(
            "\n- The newest part of this history did not fit on the frames. It follows as text.\n\n",
        );
        text.push_str(&format!("<history-tail>\n{}\n</history-tail>", archive.text_tail.text()));
    }
    text
}
