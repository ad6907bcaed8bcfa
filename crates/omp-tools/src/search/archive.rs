//! Members of archives as texts to search.

use std::io::Read;

use omp_agent::ToolError;
use omp_documents::Stop;
use omp_documents::archive::{self, Archive, Inner, Lookup, Member, MemberKind, inner};
use tokio_util::sync::CancellationToken;

use super::targets::{Single, SourceText, ranges};
use crate::Context;
use crate::read::archive::is_text;
use crate::read::selector::{self, Range};

/// Larger members are not searched.
const MAX_MEMBER: u64 = 16 * 1024 * 1024;
/// Bytes of all members of one archive.
const MAX_TOTAL: u64 = 128 * 1024 * 1024;

/// What the archives among the entries of a search hold.
#[derive(Default)]
pub(super) struct Members {
    pub(super) singles: Vec<Single>,
    /// Members that cannot be searched, each with its reason.
    pub(super) skipped: Vec<String>,
}

impl Members {
    /// Takes the entries that name archives, directories in them, or members; the others come back.
    pub(super) fn among(
        context: &Context,
        entries: &[String],
        cancel: &CancellationToken,
    ) -> Result<(Self, Vec<String>), ToolError> {
        let mut members = Self::default();
        let mut others = Vec::new();
        for entry in entries {
            if !members.take(context, entry, cancel)? {
                others.push(entry.clone());
            }
        }
        if members.singles.is_empty() && others.is_empty() && !members.skipped.is_empty() {
            let skipped = members.skipped.join(", ");
            return Err(ToolError::new(format!("Cannot search archive member(s): {skipped}")));
        }
        Ok((members, others))
    }

    fn take(
        &mut self,
        context: &Context,
        entry: &str,
        cancel: &CancellationToken,
    ) -> Result<bool, ToolError> {
        let entry = entry.trim();
        let resolve = |path: &str| context.base().resolve(path).ok();
        if archive::Format::of(entry).is_none()
            && resolve(entry).is_some_and(|path| path.symlink_metadata().is_ok())
        {
            return Ok(false);
        }
        for (name, typed, format) in archive::splits(entry) {
            let Some(path) = resolve(name).filter(|path| path.is_file()) else { continue };
            let cancel = cancel.clone();
            let stop = Stop::when(move || cancel.is_cancelled());
            let shown = context.base().display(&path);
            context.borders.check(&path).map_err(|error| crate::read::explain(context, &path, &error))?;
            let opened = Archive::open(&path, format, &stop);
            let archive =
                opened.map_err(|error| ToolError::new(format!("Cannot search {shown}: {error}.")))?;
            let (place, ranges) = split(&archive, typed)?;
            let look = Look { archive: &archive, shown: &shown, stop: &stop };
            self.look(&look, &place, ranges)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn look(&mut self, look: &Look<'_>, place: &Inner, ranges: Option<Vec<Range>>) -> Result<(), ToolError> {
        let shown = look.shown;
        match look.archive.look(place) {
            Lookup::Missing => Err(ToolError::new(format!("Path not found: {shown}:{}", place.as_str()))),
            Lookup::Member(member) => {
                self.add(look, member, ranges);
                Ok(())
            }
            Lookup::Directory if ranges.is_some() => Err(ToolError::new(format!(
                "Line-range selector requires a single file: {shown}:{} is a directory",
                place.as_str()
            ))),
            Lookup::Directory => {
                let mut total = 0_u64;
                for member in look.archive.below(place).filter(|member| member.kind == MemberKind::File) {
                    total = total.saturating_add(member.size);
                    if total > MAX_TOTAL {
                        self.skipped.push(format!("{shown}:{} (the archive is too large)", member.name));
                        continue;
                    }
                    self.add(look, member, None);
                }
                Ok(())
            }
        }
    }

    fn add(&mut self, look: &Look<'_>, member: &Member, ranges: Option<Vec<Range>>) {
        let label = format!("{}:{}", look.shown, member.name);
        match look.text(member) {
            Ok(text) => self.singles.push(Single { source: SourceText::Text(text), label, ranges }),
            Err(reason) => self.skipped.push(format!("{label} ({reason})")),
        }
    }
}

struct Look<'a> {
    archive: &'a Archive,
    shown: &'a str,
    stop: &'a Stop,
}

impl Look<'_> {
    fn text(&self, member: &Member) -> Result<String, String> {
        if member.kind != MemberKind::File {
            return Err("not a regular file".to_owned());
        }
        let read = self.archive.read(member, self.stop, |source| {
            let mut bytes = Vec::new();
            source.take(MAX_MEMBER + 1).read_to_end(&mut bytes).map(|_| bytes)
        });
        let bytes = read.map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_MEMBER {
            return Err("larger than 16 MB".to_owned());
        }
        match is_text(&bytes) {
            true => String::from_utf8(bytes).map_err(|error| error.to_string()),
            false => Err("binary".to_owned()),
        }
    }
}

/// A member whose name looks like it had a range is meant as it is written.
fn split(archive: &Archive, typed: &str) -> Result<(Inner, Option<Vec<Range>>), ToolError> {
    let outside = || ToolError::new("Archive path cannot contain '..'");
    let whole = inner(typed).ok_or_else(outside)?;
    if !matches!(archive.look(&whole), Lookup::Missing) {
        return Ok((whole, None));
    }
    let (path, selector) = selector::split(typed).map_err(ToolError::new)?;
    Ok((inner(path).ok_or_else(outside)?, ranges(selector.lines)))
}
