//! Archives: their directories, and their members as text.

use std::io::{Cursor, Read};
use std::path::Path;

use omp_agent::ToolError;
use omp_documents::archive::{
    Archive, Child, Format, Incomplete, Inner, Listing, Lookup, Member, MemberKind, inner, splits,
};
use omp_types::ToolOutput;
use omp_workspace::text::Charset;
use omp_workspace::tree::{printable, size};

use super::selector::{self, Lines, Selector};
use super::{Target, container, text};
use crate::output::{Limits, MAX_BYTES, ResultLimit, cap};

/// Children of a directory that are listed.
const MAX_LISTED: usize = 500;
/// Characters of a name that are listed.
const MAX_NAME: usize = 1_000;
/// What may be said below a listing.
const ROOM_FOR_NOTICES: usize = 1024;
/// Members up to this size are checked as a whole before a line of them is shown.
const MAX_CHECKED: u64 = 16 * 1024 * 1024;

/// Reads `typed`, a path inside the archive with or without a selector.
pub(super) fn read(target: &Target, format: Format, typed: &str) -> Result<ToolOutput, ToolError> {
    target.job.slow()?;
    let stop = container::stop(target.job);
    let shown = target.shown();
    let explain = |error| ToolError::new(format!("Cannot read {shown}: {error}."));
    let archive = Archive::open(&target.path, format, &stop).map_err(explain)?;
    let (inner, selector) = split(&archive, typed)?;
    let part = Target {
        inside: Some(inner.as_str().to_owned()),
        ..Target::new(target.job, target.path.clone(), selector)
    };
    match archive.look(&inner) {
        Lookup::Directory => Ok(list(&part, &archive.list(&inner, usize::MAX))),
        Lookup::Member(member) => match &member.kind {
            MemberKind::Link(to) => Err(link(&part, to.as_deref())),
            MemberKind::Special => {
                Err(ToolError::new(format!("{} has no text: it is not a regular file.", part.shown())))
            }
            _ => read_member(&part, &archive, member),
        },
        Lookup::Missing => Err(missing(&shown, &archive, &inner)),
    }
}

/// A member whose name looks like it had a selector is meant as it is written.
fn split(archive: &Archive, typed: &str) -> Result<(Inner, Selector), ToolError> {
    let outside = || ToolError::new("Archive path cannot contain '..'");
    let whole = inner(typed).ok_or_else(outside)?;
    if !matches!(archive.look(&whole), Lookup::Missing) {
        return Ok((whole, Selector::default()));
    }
    // Something must stand before a selector.
    let prefixed = format!("/:{typed}");
    let (path, selector) = selector::split(&prefixed).map_err(ToolError::new)?;
    let path = path.strip_prefix("/:").unwrap_or_default();
    Ok((inner(path).ok_or_else(outside)?, selector))
}

fn link(part: &Target, to: Option<&str>) -> ToolError {
    let shown = part.shown();
    let to = to.map_or_else(String::new, |to| format!(" to '{to}'"));
    ToolError::new(format!("{shown} is a link{to}; links in archives are not followed. Read its target."))
}

/// Names the nearest directory that exists.
fn missing(shown: &str, archive: &Archive, wanted: &Inner) -> ToolError {
    let text = wanted.as_str();
    if let Some(nested) = nested(archive, text) {
        return ToolError::new(format!(
            "{nested} is an archive inside {shown}; nested archives are not supported. Extract it first with \
             bash, e.g. unzip -p or tar -xOf."
        ));
    }
    let above = text.rmatch_indices('/').filter_map(|(slash, _)| inner(&text[..slash]));
    let nearest = above.into_iter().find(|above| matches!(archive.look(above), Lookup::Directory));
    let place = nearest.map_or_else(|| shown.to_owned(), |above| format!("{shown}:{}", above.as_str()));
    let rest = archive.incomplete().map_or_else(String::new, |why| format!("\n{}", remainder(why)));
    ToolError::new(format!("'{text}' not found in {shown}. Read {place} to list its contents.{rest}"))
}

/// An archive among the members that a path leads into.
fn nested<'a>(archive: &Archive, path: &'a str) -> Option<&'a str> {
    let is_member =
        |name: &str| inner(name).is_some_and(|name| matches!(archive.look(&name), Lookup::Member(_)));
    splits(path).into_iter().map(|(name, ..)| name).find(|name| is_member(name))
}

fn list(part: &Target, listing: &Listing) -> ToolOutput {
    let shown = select(listing, &part.selector.lines);
    let mut parts: Vec<String> = Vec::new();
    let mut meta = part.meta();
    if !shown.is_empty() {
        parts.push(shown.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n"));
    }
    if listing.children.is_empty() {
        parts.push("(empty directory)".to_owned());
    }
    if listing.total > shown.len() {
        let next = match shown.last() {
            Some((last, _)) if *last == listing.total => String::new(),
            Some((last, _)) => format!(". Use :{} to continue", last + 1),
            None => ". Use :1 to read from the start".to_owned(),
        };
        parts.push(format!("[{} of {} entries shown{next}]", shown.len(), listing.total));
        let limit = ResultLimit { reached: shown.len(), suggestion: (shown.len() * 2).max(1) };
        meta.limits = Some(Limits { result_limit: Some(limit), ..Limits::default() });
    }
    if listing.outside > 0 {
        let members = match listing.outside {
            1 => "1 member whose path leads".to_owned(),
            several => format!("{several} members whose paths lead"),
        };
        parts.push(format!("[Skipped: {members} out of the archive ('..')]"));
    }
    parts.extend(listing.incomplete.as_ref().map(remainder));
    let (text, truncation) = cap(parts.join("\n\n"));
    meta.truncation = truncation;
    ToolOutput::text(text).with_details(part.details().with("isDirectory", true).finish(&meta))
}

/// The numbered lines that were asked for, within the limits of a listing.
fn select(listing: &Listing, wanted: &Lines) -> Vec<(usize, String)> {
    let mut bytes = 0;
    (1..)
        .zip(&listing.children)
        .filter(|(number, _)| wanted.wants(*number as u64))
        .take(MAX_LISTED)
        .map(|(number, child)| (number, line(child)))
        .take_while(|(_, line)| {
            bytes += line.len() + 1;
            bytes <= MAX_BYTES - ROOM_FOR_NOTICES
        })
        .collect()
}

fn line(child: &Child) -> String {
    let name = clipped(&child.name);
    match &child.kind {
        MemberKind::Directory => format!("{name}/"),
        MemberKind::Link(Some(to)) => format!("{name} -> {}", clipped(to)),
        MemberKind::File if child.size > 0 => format!("{name} ({})", size(child.size)),
        _ => name,
    }
}

/// A name on one line. Archives can have names that no file system takes.
fn clipped(name: &str) -> String {
    let name = printable(Path::new(name));
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// What is not known of an archive.
fn remainder(incomplete: &Incomplete) -> String {
    match incomplete {
        Incomplete::Long => {
            "[Only the first gigabyte of the archive was scanned; there may be more members]".to_owned()
        }
        Incomplete::Many => {
            "[The archive has too many members to list them all; use bash (unzip -l, tar -tf) for the rest]"
                .to_owned()
        }
        Incomplete::Damaged(what) => {
            format!("[The archive is damaged: {what}. Listed are the members before the damage]")
        }
    }
}

fn read_member(part: &Target, archive: &Archive, member: &Member) -> Result<ToolOutput, ToolError> {
    let stop = container::stop(part.job);
    let output = archive.read(member, &stop, |source| {
        let mut head = Vec::new();
        source.take(MAX_CHECKED + 1).read_to_end(&mut head)?;
        if !is_text(&head) {
            let notice =
                format!("[Cannot read binary archive entry '{}' ({})]", member.name, size(member.size));
            return Ok(Ok(ToolOutput::text(notice).with_details(part.details().finish(&part.meta()))));
        }
        let charset =
            if head.starts_with(Charset::Utf8Bom.mark()) { Charset::Utf8Bom } else { Charset::Utf8 };
        Ok(text::read(part, Cursor::new(head).chain(source), member.size, charset))
    });
    output.map_err(|error| ToolError::new(format!("Cannot read {}: {error}.", part.shown())))?
}

/// UTF-8 without the character that no text has. A character may be cut off where more follows.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => head.len() as u64 > MAX_CHECKED && error.error_len().is_none(),
    };
    valid && !head.contains(&0)
}
