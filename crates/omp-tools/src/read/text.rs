//! Text files: a window of lines, and what remains.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::RangeInclusive;

use omp_agent::ToolError;
use omp_types::ToolOutput;
use omp_workspace::document::Document;
use omp_workspace::text::{Charset, Request, Segment, Stop, Total, Window, read_window};
use serde_json::{Value, json};

use super::selector::{Lines, Range, Style, merge};
use super::{Target, missing};
use crate::Settings;
use crate::output::{Direction, MAX_BYTES, MAX_LINES, ShownRange, TruncatedBy, Truncation};
use crate::seen_files::SeenFiles;

/// Lines and bytes of a text that is not cut into pages: beyond all bounds of what is meant to be read at once.
const WHOLE: (usize, usize) = (100_000, 1024 * 1024);
/// Finding a line of a file that is larger than this may take long.
const HUGE: u64 = 1024 * 1024 * 1024;

pub(super) fn read(
    target: &Target,
    source: impl Read,
    length: u64,
    charset: Charset,
) -> Result<ToolOutput, ToolError> {
    read_lines(target, source, length, charset, |source, request| read_window(source, charset, request))
}

/// A file on disk, which may be large and read in many pages.
pub(super) fn read_file(
    target: &Target,
    file: File,
    metadata: &Metadata,
    charset: Charset,
) -> Result<ToolOutput, ToolError> {
    let milestones = &target.context.seen.milestones;
    if metadata.len() > HUGE {
        target.job.slow()?;
    }
    let cancel = &target.job.cancel;
    read_lines(target, file, metadata.len(), charset, |file, request| {
        let stop = || metadata.len() > HUGE && cancel.is_cancelled();
        milestones.read_window(&target.path, file, metadata, (charset, request), &stop)
    })
}

fn read_lines<R: Read>(
    target: &Target,
    source: R,
    length: u64,
    charset: Charset,
    lines: impl FnOnce(R, &Request) -> io::Result<Window>,
) -> Result<ToolOutput, ToolError> {
    let mut plan = Plan::new(target);
    let (max_lines, max_bytes) = if plan.whole { WHOLE } else { (MAX_LINES, MAX_BYTES) };
    let asked = plan.asked.first().map_or(1, |range| range.start);
    let request = Request { ranges: plan.lines.clone(), asked, max_lines, max_bytes };
    let explain = |error: io::Error| missing::explain(target, &error);
    let window = match plan.display == Display::Anchored && length <= SeenFiles::MAX_BYTES {
        // The tag is that of the whole file, and of the same bytes as the lines.
        true => {
            let mut bytes = Vec::new();
            source.take(SeenFiles::MAX_BYTES + 1).read_to_end(&mut bytes).map_err(explain)?;
            let window = read_window(bytes.as_slice(), charset, &request).map_err(explain)?;
            plan.header = header(target, bytes, charset, &window);
            window
        }
        false => lines(source, &request).map_err(explain)?,
    };
    if plan.header.is_none() && plan.display == Display::Anchored {
        plan.display = Display::Numbered;
    }
    let rendering = Rendering { plan: &plan, window: &window, charset };
    let mut meta = target.meta();
    meta.truncation = plan.truncation(&window, length);
    let details = match rendering.display_content() {
        Some(content) => target.details().with("displayContent", content),
        None => target.details(),
    };
    let text = super::conflict::warned(target, &window, rendering.text());
    Ok(ToolOutput::text(text).with_details(details.finish(&meta)))
}

/// `[PATH#TAG]`, with the text remembered for edits.
fn header(target: &Target, bytes: Vec<u8>, charset: Charset, window: &Window) -> Option<String> {
    if bytes.is_empty() || bytes.len() as u64 > SeenFiles::MAX_BYTES || target.inside.is_some() {
        return None;
    }
    let place = |line: u64| usize::try_from(line).unwrap_or(usize::MAX);
    let lines: Vec<_> =
        window.segments.iter().map(|segment| (place(segment.first), place(segment.last()))).collect();
    let document = Document::new(bytes, charset);
    let tag = target.context.seen.record(&target.path, document.text(), &lines);
    Some(format!("[{}#{tag}]", target.shown()))
}

/// What to read and how to show it.
struct Plan {
    /// Names the file and its content, where lines are shown as anchors.
    header: Option<String>,
    /// The ranges as they were asked for.
    asked: Vec<Range>,
    /// The lines to read: with context, and with an end.
    lines: Vec<RangeInclusive<u64>>,
    display: Display,
    /// Pages do not matter.
    whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    /// The bytes of the file.
    Raw,
    Plain,
    /// `LINE|TEXT`
    Numbered,
    /// `LINE:TEXT` below a header with the file's tag.
    Anchored,
}

impl Plan {
    fn new(target: &Target) -> Self {
        let settings = &target.context.settings;
        let raw = target.selector.style == Style::Raw;
        let asked = match &target.selector.lines {
            Lines::Default => vec![Range { start: 1, end: None }],
            Lines::Ranges(ranges) => ranges.clone(),
        };
        let context = |range: &Range| if raw { *range } else { range.widened() };
        let shown = merge(asked.iter().map(context).collect());
        let whole = target.is_whole();
        let limit = match whole {
            true => WHOLE.0 as u64,
            false => target.default_lines(),
        };
        // Only the last range can be open, so the limit counts from the last one that was asked for.
        let from = asked.last().map_or(1, |range| range.start);
        let lines = shown.iter().map(|range| range.closed(from, limit)).collect();
        let anchored = target.context.shows_anchors() && target.is_mutable();
        Self { header: None, asked, lines, display: Display::choose(raw, anchored, settings), whole }
    }

    fn is_open(&self) -> bool {
        self.asked.last().is_some_and(|range| range.end.is_none())
    }

    /// Set when a limit, not the request, is the reason why lines are missing.
    fn truncation(&self, window: &Window, total_bytes: u64) -> Option<Truncation> {
        let last = window.segments.last()?.last();
        let by = match window.stop {
            Stop::Bytes | Stop::LongLine => TruncatedBy::Bytes,
            Stop::Lines => TruncatedBy::Lines,
            Stop::Complete if self.is_open() && window.remaining_after(last) > 0 => TruncatedBy::Lines,
            Stop::Complete => return None,
        };
        let lines = || window.segments.iter().flat_map(|segment| &segment.lines);
        let first = window.segments.first()?.first;
        Some(Truncation {
            direction: Direction::Head,
            truncated_by: by,
            total_lines: window.total.known(),
            total_bytes,
            output_lines: lines().count() as u64,
            output_bytes: lines().map(|line| line.len() as u64 + 1).sum(),
            shown_range: Some(ShownRange { start: first, end: last }),
            head_lines: None,
            next_offset: (window.remaining_after(last) > 0).then_some(last + 1),
            artifact_id: None,
        })
    }
}

impl Display {
    fn choose(raw: bool, anchored: bool, settings: &Settings) -> Self {
        match (raw, anchored, settings.read.line_numbers) {
            (true, _, _) => Self::Raw,
            (false, true, _) => Self::Anchored,
            (false, false, true) => Self::Numbered,
            (false, false, false) => Self::Plain,
        }
    }
}

/// Turns a window into text with its notices.
struct Rendering<'a> {
    plan: &'a Plan,
    window: &'a Window,
    charset: Charset,
}

impl Rendering<'_> {
    fn text(&self) -> String {
        if let Some(nothing) = self.nothing_to_show() {
            return nothing;
        }
        let notices = [self.beyond_notice(), self.invalid_notice(), self.more_notice()];
        let notices: Vec<String> = notices.into_iter().flatten().collect();
        let mut text = self.body();
        if !notices.is_empty() {
            text.truncate(text.trim_end_matches('\n').len());
            text.push_str("\n\n");
            text.push_str(&notices.join("\n"));
        }
        text
    }

    fn nothing_to_show(&self) -> Option<String> {
        let Total::Exactly(total) = self.window.total else { return None };
        let start = self.plan.asked.first()?.start;
        match total {
            0 if start == 1 => Some("(empty file)".to_owned()),
            0 => Some(format!("Line {start} is beyond the end of the file: the file is empty (0 lines).")),
            _ if start > total => Some(format!(
                "Line {start} is beyond the end of the file ({total} lines). Use :1 to read from the start, or \
                 :{total} to read the last line."
            )),
            _ => None,
        }
    }

    fn visible(&self) -> impl Iterator<Item = &Segment> {
        self.window.segments.iter().filter(|segment| !self.is_only_context(segment.first, self.window.total))
    }

    /// The lines as a person reads them, and the number of the first, for whoever draws the result.
    fn display_content(&self) -> Option<Value> {
        let start = self.visible().next()?.first;
        let without_return = |line: &String| line.strip_suffix('\r').unwrap_or(line).to_owned();
        let parts: Vec<String> = self
            .visible()
            .map(|segment| segment.lines.iter().map(without_return).collect::<Vec<_>>().join("\n"))
            .collect();
        Some(json!({ "text": parts.join("\n…\n"), "startLine": start }))
    }

    fn body(&self) -> String {
        let total = self.window.total;
        let mut text = self.plan.header.as_ref().map(|header| format!("{header}\n")).unwrap_or_default();
        for (index, segment) in self.visible().enumerate() {
            if index > 0 {
                text.push_str(if self.plan.display == Display::Raw { "\n" } else { "\n…\n" });
            }
            let numbered = (segment.first..).zip(&segment.lines);
            let rows: Vec<String> = numbered.map(|(number, line)| self.row(number, line)).collect();
            text.push_str(&rows.join("\n"));
        }
        let shows_the_end = self.last_shown() == Some(total.known()) && self.window.stop == Stop::Complete;
        if self.plan.display == Display::Raw && self.window.final_newline && shows_the_end {
            text.push('\n');
        }
        text
    }

    fn row(&self, number: u64, line: &str) -> String {
        let without_return = line.strip_suffix('\r').unwrap_or(line);
        match self.plan.display {
            Display::Raw => line.to_owned(),
            Display::Plain => without_return.to_owned(),
            Display::Numbered => format!("{number}|{without_return}"),
            Display::Anchored => format!("{number}:{without_return}"),
        }
    }

    /// The last line of the file, shown only as the context of a range beyond it.
    fn is_only_context(&self, first: u64, total: Total) -> bool {
        first == total.known()
            && self.plan.asked.iter().any(|range| range.start == first + 1)
            && !self
                .plan
                .asked
                .iter()
                .any(|range| range.start <= first && range.end.is_none_or(|end| end >= first))
    }

    fn last_shown(&self) -> Option<u64> {
        self.window.segments.last().map(|segment| segment.last())
    }

    /// Ranges of a list that lie behind the end.
    fn beyond_notice(&self) -> Option<String> {
        let Total::Exactly(total) = self.window.total else { return None };
        let beyond: Vec<String> =
            self.plan.asked.iter().filter(|range| range.start > total).map(Range::describe).collect();
        (!beyond.is_empty())
            .then(|| format!("[Skipped {}: beyond the end of the file ({total} lines)]", beyond.join(", ")))
    }

    fn invalid_notice(&self) -> Option<String> {
        let name = self.charset.name();
        self.window.invalid.then(|| format!("[Bytes that are not valid {name} text are shown as U+FFFD]"))
    }

    fn more_notice(&self) -> Option<String> {
        let last = self.last_shown()?;
        let remaining = self.window.remaining_after(last);
        if remaining == 0 && self.window.stop == Stop::Complete {
            return None;
        }
        let shown: Vec<String> = self
            .window
            .segments
            .iter()
            .map(|segment| format!("{}-{}", segment.first, segment.last()))
            .collect();
        let (total, more) = match self.window.total {
            Total::Exactly(total) => (total.to_string(), remaining.to_string()),
            // The line that was cut was never counted.
            Total::MoreThan(total) if total < last => (format!("at least {last}"), remaining.to_string()),
            Total::MoreThan(total) => (format!("more than {total}"), format!("more than {remaining}")),
        };
        let reason = match self.window.stop {
            Stop::Complete => "",
            Stop::Lines => " (3000 line limit)",
            Stop::Bytes if self.plan.whole => " (1 MB limit)",
            Stop::Bytes => " (50 KB limit)",
            Stop::LongLine => {
                " (line truncated at the 50 KB limit; use bash, e.g. cut -c or fold, for the rest)"
            }
        };
        let shown = shown.join(", ");
        if remaining == 0 {
            return Some(format!("[Showing lines {shown} of {total}{reason}]"));
        }
        let next = last + 1;
        let lines = if more == "1" { "line" } else { "lines" };
        Some(format!(
            "[Showing lines {shown} of {total}{reason}; {more} more {lines}. Use :{next} to continue]"
        ))
    }
}

impl Range {
    fn describe(&self) -> String {
        match self.end {
            Some(end) => format!("{}-{end}", self.start),
            None => format!("{}-", self.start),
        }
    }
}
