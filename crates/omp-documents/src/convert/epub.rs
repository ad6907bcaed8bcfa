//! EPUB books: their chapters in the order in which they are read.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use dom_query::Document;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{ConvertError, MAX_TEXT, unreadable};
use crate::archive::{Archive, Format, Lookup, inner};
use crate::stop::Stop;

/// A chapter or a table of contents is not larger.
const MAX_PART: u64 = 16 << 20;
/// Elements inside elements, beyond which only the text of a chapter is taken.
const MAX_DEPTH: usize = 500;
/// The same for attributes of an element: the parser compares each of them with all before it.
const MAX_ATTRIBUTES: usize = 1_000;
/// Chapters that are named if they cannot be read.
const MAX_NAMED: usize = 20;

pub(super) fn text(path: &Path, stop: &Stop) -> Result<String, ConvertError> {
    let archive = Archive::open(path, Format::Zip, stop)?;
    let book = Book { archive: &archive, stop };
    let container = book.part("META-INF/container.xml")?;
    let package = attribute(&container, "rootfile", "full-path")
        .ok_or_else(|| unreadable("it does not list its chapters"))?;
    let contents = Contents::parse(&book.part(&package)?)?;
    let mut text = contents.title.as_ref().map(|title| format!("# {title}\n\n")).unwrap_or_default();
    let (mut any, mut failed) = (false, Vec::new());
    for chapter in &contents.chapters {
        if stop.is_asked() {
            return Err(ConvertError::Stopped);
        }
        let name = beside(&package, chapter);
        match book.part(&name).map(|part| markdown(&part)) {
            Ok(chapter) => {
                any |= !chapter.trim().is_empty();
                text.push_str(&format!("{}\n\n", chapter.trim()));
            }
            Err(error) => failed.push((name, error)),
        }
        if text.len() > MAX_TEXT {
            break;
        }
    }
    if !any {
        // The first chapter says why nothing can be read.
        return Err(failed.into_iter().next().map_or(ConvertError::NoText, |(_, error)| error));
    }
    let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).take(MAX_NAMED).collect();
    let text = text.trim_end();
    match names.is_empty() {
        true => Ok(text.to_owned()),
        false => Ok(format!("{text}\n\n[These chapters could not be read: {}]", names.join(", "))),
    }
}

struct Book<'a> {
    archive: &'a Archive,
    stop: &'a Stop,
}

impl Book<'_> {
    fn part(&self, name: &str) -> Result<String, ConvertError> {
        let missing = || unreadable(format!("'{name}' is missing"));
        let place = inner(name).ok_or_else(missing)?;
        let Lookup::Member(member) = self.archive.look(&place) else { return Err(missing()) };
        let bytes = self.archive.read(member, self.stop, |source| {
            let mut bytes = Vec::new();
            source.take(MAX_PART).read_to_end(&mut bytes).map(|_| bytes)
        })?;
        String::from_utf8(bytes)
            .map_err(|_| unreadable(format!("'{name}' is not text; the book may be protected")))
    }
}

/// A path relative to another part.
fn beside(part: &str, href: &str) -> String {
    let href = href.split('#').next().unwrap_or_default();
    let mut segments: Vec<String> = part.split('/').map(str::to_owned).collect();
    segments.pop();
    for segment in href.split('/') {
        match segment {
            ".." => {
                segments.pop();
            }
            segment => segments.push(percent_decoded(segment)),
        }
    }
    segments.join("/")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// What the package file says.
#[derive(Default)]
struct Contents {
    title: Option<String>,
    chapters: Vec<String>,
}

impl Contents {
    fn parse(xml: &str) -> Result<Self, ConvertError> {
        let (mut contents, mut files) = (Self::default(), BTreeMap::new());
        let mut reader = Reader::from_str(xml);
        reader.config_mut().expand_empty_elements = true;
        let mut title: Option<String> = None;
        loop {
            match reader.read_event().map_err(unreadable)? {
                Event::Eof => return Ok(contents),
                Event::Start(element) => match element.local_name().as_ref() {
                    "item" => {
                        if let (Some(id), Some(href)) = (value(&element, "id"), value(&element, "href")) {
                            files.insert(id, href);
                        }
                    }
                    "itemref" => {
                        let file = value(&element, "idref").and_then(|id| files.get(&id).cloned());
                        contents.chapters.extend(file);
                    }
                    "title" if contents.title.is_none() => title = Some(String::new()),
                    _ => {}
                },
                Event::Text(text) => title.iter_mut().for_each(|title| title.push_str(&text)),
                Event::GeneralRef(reference) => {
                    title.iter_mut().for_each(|title| title.push_str(&letter(&reference)));
                }
                Event::End(_) => {
                    let words = title.take().unwrap_or_default();
                    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                    contents.title =
                        contents.title.take().or_else(|| Some(words).filter(|words| !words.is_empty()));
                }
                _ => {}
            }
        }
    }
}

/// What `&name;` or `&#number;` stands for.
fn letter(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name: &str = reference;
    quick_xml::escape::resolve_predefined_entity(name).map_or_else(|| format!("&{name};"), str::to_owned)
}

fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    quick_xml::escape::unescape(&attribute.value).ok().map(|value| value.into_owned())
}

/// An attribute of the first element of that name.
fn attribute(xml: &str, element: &str, name: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return None,
            Event::Start(found) | Event::Empty(found) if found.local_name().as_ref() == element => {
                return value(&found, name);
            }
            _ => {}
        }
    }
}

fn markdown(html: &str) -> String {
    match is_too_much(html) {
        true => words(html),
        false => Document::from(html).md(Some(&["head", "script", "style"])).to_string(),
    }
}

/// Would the parser take very long?
fn is_too_much(html: &str) -> bool {
    let mut depth = 0_usize;
    for part in html.split('<').skip(1) {
        let tag = part.split('>').next().unwrap_or_default();
        if tag.len() > MAX_ATTRIBUTES
            && tag.matches([' ', '\n', '\t', '/', '"', '\'']).count() > MAX_ATTRIBUTES
        {
            return true;
        }
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !tag.ends_with('/') && !tag.starts_with(['!', '?']) {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// What is left without the elements.
fn words(html: &str) -> String {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}
