//! RSS and Atom as Markdown.

use std::collections::BTreeMap;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use url::Url;

use crate::html;

/// Entries that are shown, and how much of each.
const MOST_ENTRIES: usize = 50;
const MOST_TEXT: usize = 2_000;

/// A feed.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    about: Fields,
    pub(crate) entries: Vec<Fields>,
}

/// The texts of a feed or an entry, by the names that RSS and Atom have for them.
#[derive(Debug, Default)]
pub(crate) struct Fields(BTreeMap<String, Vec<String>>);

impl Fields {
    /// The first text under any of the names.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&str> {
        let texts = names.iter().filter_map(|name| self.0.get(*name)?.first());
        texts.map(|text| text.trim()).find(|text| !text.is_empty())
    }

    /// Every text under a name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.get(name).into_iter().flatten().map(|text| text.trim()).filter(|text| !text.is_empty())
    }

    fn begin(&mut self, name: &str) {
        self.0.entry(name.to_owned()).or_default().push(String::new());
    }

    fn push(&mut self, name: &str, text: &str) {
        if let Some(last) = self.0.get_mut(name).and_then(|texts| texts.last_mut()) {
            last.push_str(text);
        }
    }
}

/// Reads a feed; `None` if the text is something else, or broken before its first entry.
pub(crate) fn parse(text: &str) -> Option<Feed> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    let mut walk = Walk::default();
    loop {
        let event = reader.read_event();
        match event {
            Ok(Event::Start(element)) => walk.start(&element)?,
            Ok(Event::Empty(element)) => {
                walk.start(&element)?;
                walk.end();
            }
            Ok(Event::End(_)) => walk.end(),
            Ok(Event::Text(text)) => walk.text(&text.html_content()),
            Ok(Event::CData(text)) => walk.text(&text.html_content()),
            Ok(Event::GeneralRef(reference)) => walk.text(&resolve(&reference)),
            // What came before the damage is worth something.
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    (walk.root && (!walk.feed.entries.is_empty() || walk.feed.about.get(&["title"]).is_some()))
        .then_some(walk.feed)
}

#[derive(Default)]
struct Walk {
    feed: Feed,
    /// The names of the open elements.
    open: Vec<String>,
    /// How many were open when the current entry began.
    entry: Option<usize>,
    root: bool,
}

impl Walk {
    /// `None` if this is no feed.
    fn start(&mut self, element: &BytesStart) -> Option<()> {
        let name = local_name(element);
        if !self.root {
            self.root = matches!(name.as_str(), "rss" | "feed" | "RDF");
            if !self.root {
                return None;
            }
        }
        if self.entry.is_none() && matches!(name.as_str(), "item" | "entry") {
            self.entry = Some(self.open.len());
            self.feed.entries.push(Fields::default());
        } else if self.is_field() {
            let link = atom_link(element).filter(|_| name == "link");
            let fields = self.fields();
            fields.begin(&name);
            if let Some(link) = link {
                fields.push(&name, &link);
            }
        }
        self.open.push(name);
        Some(())
    }

    fn end(&mut self) {
        self.open.pop();
        if self.entry == Some(self.open.len()) {
            self.entry = None;
        }
    }

    fn text(&mut self, text: &str) {
        let at = self.entry.map_or_else(|| self.head_depth(), |entry| entry + 1);
        if let Some(name) = self.open.get(at).cloned() {
            self.fields().push(&name, text);
        }
    }

    /// Does an element that begins now tell about the entry or the feed itself?
    fn is_field(&self) -> bool {
        self.open.len() == self.entry.map_or_else(|| self.head_depth(), |entry| entry + 1)
    }

    /// RSS has a `channel` between the root and what tells about the feed.
    fn head_depth(&self) -> usize {
        if self.open.get(1).is_some_and(|name| name == "channel") { 2 } else { 1 }
    }

    fn fields(&mut self) -> &mut Fields {
        match (self.entry, self.feed.entries.last_mut()) {
            (Some(_), Some(entry)) => entry,
            _ => &mut self.feed.about,
        }
    }
}

fn local_name(element: &BytesStart) -> String {
    element.local_name().as_ref().to_owned()
}

/// Atom's links are attributes, and only one of several leads to the entry.
fn atom_link(element: &BytesStart) -> Option<String> {
    let attribute = |name: &str| {
        let found = element.try_get_attribute(name).ok()??;
        found.normalized_value(XmlVersion::default()).ok().map(|value| value.into_owned())
    };
    let href = attribute("href")?;
    matches!(attribute("rel").as_deref(), None | Some("alternate")).then_some(href)
}

fn resolve(reference: &BytesRef) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name: &str = reference;
    match name {
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "amp" => "&".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        _ => format!("&{name};"),
    }
}

/// The feed with its newest entries.
pub(crate) fn markdown(feed: &Feed, base: &Url) -> String {
    let mut text = String::new();
    if let Some(title) = feed.about.get(&["title"]) {
        text.push_str(&format!("# {}\n\n", line(title)));
    }
    if let Some(about) = feed.about.get(&["description", "subtitle"]) {
        text.push_str(&format!("{}\n\n", html::fragment(about, Some(base))));
    }
    for entry in feed.entries.iter().take(MOST_ENTRIES) {
        text.push_str(&describe(entry, base));
    }
    if feed.entries.len() > MOST_ENTRIES {
        text.push_str(&format!("[{} older entries are not shown]\n", feed.entries.len() - MOST_ENTRIES));
    }
    text.truncate(text.trim_end().len());
    text
}

fn describe(entry: &Fields, base: &Url) -> String {
    let title = line(entry.get(&["title"]).unwrap_or("(no title)"));
    let link = entry.all("link").chain(entry.get(&["guid"])).find_map(|link| base.join(link).ok());
    let mut text = match link {
        Some(link) => format!("## [{title}]({link})\n\n"),
        None => format!("## {title}\n\n"),
    };
    let date = entry.get(&["pubDate", "published", "updated", "date"]);
    let author = entry.get(&["creator", "author"]).map(line);
    let about: Vec<String> = [date.map(str::to_owned), author].into_iter().flatten().collect();
    if !about.is_empty() {
        text.push_str(&format!("{}\n\n", about.join(" · ")));
    }
    if let Some(body) = entry.get(&["summary", "description", "encoded", "content"]) {
        text.push_str(&format!("{}\n\n", shorten(&html::fragment(body, Some(base)), MOST_TEXT)));
    }
    text
}

/// On one line.
fn line(text: &str) -> String {
    html::fragment(text, None).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The start of a text.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} […]", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> Option<String> {
        Some(markdown(&parse(text)?, &Url::parse("http://site.test/feed").unwrap()))
    }

    #[test]
    fn rss() {
        let feed = "<?xml version='1.0'?><rss version='2.0' xmlns:dc='x'><channel><title>News &amp; more</title>\
            <link>http://site.test/</link><description>About &lt;b&gt;it&lt;/b&gt;</description>\
            <item><title><![CDATA[First <i>one</i>]]></title><link>/1</link><pubDate>Mon, 1 Jan</pubDate>\
            <dc:creator>Ann</dc:creator><description>&lt;p&gt;Hello &lt;a href='/x'&gt;x&lt;/a&gt;&lt;/p&gt;</description></item>\
            <item><title>Second</title><guid>http://site.test/2</guid></item></channel></rss>";
        assert_eq!(
            rendered(feed).unwrap(),
            "# News & more\n\nAbout **it**\n\n## [First *one*](http://site.test/1)\n\nMon, 1 Jan · Ann\n\n\
             Hello [x](http://site.test/x)\n\n## [Second](http://site.test/2)"
        );
    }

    #[test]
    fn atom() {
        let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><title>E</title>\
            <link rel='self' href='/self'/><link href='/e'/><updated>2026-01-02</updated><author><name>Bob</name></author>\
            <content type='xhtml'><div>Body <b>text</b></div></content></entry></feed>";
        assert_eq!(
            rendered(feed).unwrap(),
            "# T\n\n## [E](http://site.test/e)\n\n2026-01-02 · Bob\n\nBody text"
        );
    }

    #[test]
    fn what_is_no_feed() {
        for text in ["", "<html><title>x</title></html>", "plain", "<svg/>", "<rss>", "{\"a\":1}"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn damaged_and_endless_feeds() {
        let broken = "<rss><channel><title>T</title><item><title>A</title></item><item><title>B</ti";
        assert!(rendered(broken).unwrap().contains("## A"));
        let many = format!(
            "<rss><channel><title>T</title>{}</channel></rss>",
            "<item><title>x</title></item>".repeat(60)
        );
        assert!(rendered(&many).unwrap().ends_with("[10 older entries are not shown]"));
        let entities = "<!DOCTYPE r [<!ENTITY a 'aaaa'>]><rss><channel><title>&a;&a;</title></channel></rss>";
        assert_eq!(rendered(entities).unwrap(), "# &a;&a;");
    }
}
