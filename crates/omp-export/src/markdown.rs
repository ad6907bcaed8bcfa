//! Markdown as HTML that cannot do anything.
//!
//! Tags in the text stay text. A link is a link only to a web or mail address; images are named, never loaded.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use crate::code;
use crate::markup::Html;

/// Longer text is shown as it is: nobody formats a megabyte by hand.
const LONGEST: usize = 1 << 20;
/// Browsers give up on deeper trees.
const DEEPEST: usize = 60;

/// What a line end inside a paragraph means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// A space, as in Markdown: models wrap as they like.
    Flow,
    /// A line end: people press Enter where they want one.
    Keep,
}

/// Writes `text` into a block of its own.
pub(crate) fn show(text: &str, breaks: Breaks, html: &mut Html) {
    if text.len() > LONGEST {
        html.raw("<pre class=\"plain\" tabindex=\"0\">").text(text).raw("</pre>");
        return;
    }
    html.raw("<div class=\"md\" dir=\"auto\">");
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer =
        Writer { html, breaks, open: Vec::new(), code: None, cells: Vec::new(), cell: 0, in_head: false };
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    html.raw("</div>");
}

struct Writer<'h> {
    html: &'h mut Html,
    breaks: Breaks,
    /// The end tags of what is open; `None` for what was opened without a tag.
    open: Vec<Option<&'static str>>,
    /// Language and text of the code block that is being read.
    code: Option<(String, String)>,
    cells: Vec<Alignment>,
    cell: usize,
    in_head: bool,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => {
                    self.html.text(&text);
                }
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.raw("<code>").text(&text).raw("</code>");
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                self.html.text(&text);
            }
            Event::FootnoteReference(name) => {
                self.html.raw("[^").text(&name).raw("]");
            }
            Event::SoftBreak if self.breaks == Breaks::Keep => {
                self.html.raw("<br>\n");
            }
            Event::SoftBreak => {
                self.html.raw("\n");
            }
            Event::HardBreak => {
                self.html.raw("<br>\n");
            }
            Event::Rule => {
                self.html.raw("<hr>");
            }
            Event::TaskListMarker(done) => {
                self.html.raw(if done {
                    "<span class=\"task\">☑</span> "
                } else {
                    "<span class=\"task\">☐</span> "
                });
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let (begin, end) = match tag {
            Tag::CodeBlock(kind) => return self.code = Some((language(&kind), String::new())),
            Tag::Link { link_type, dest_url, .. } => return self.link(link_type, &dest_url),
            Tag::Image { dest_url, .. } => return self.image(&dest_url),
            Tag::List(Some(first)) => return self.numbered(first),
            Tag::Table(cells) => {
                self.cells = cells;
                ("<div class=\"table\" tabindex=\"0\"><table>", "</tbody></table></div>")
            }
            Tag::TableHead => {
                (self.cell, self.in_head) = (0, true);
                ("<thead><tr>", "</tr></thead><tbody>")
            }
            Tag::TableRow => {
                self.cell = 0;
                ("<tr>", "</tr>")
            }
            Tag::TableCell => self.cell(),
            Tag::Heading { level, .. } => heading(level),
            Tag::Paragraph => ("<p>", "</p>"),
            Tag::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
            Tag::HtmlBlock => ("<p class=\"tags\">", "</p>"),
            Tag::List(None) => ("<ul>", "</ul>"),
            Tag::Item => ("<li>", "</li>"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<del>", "</del>"),
            _ => ("", ""),
        };
        self.open(begin, end);
    }

    /// Opens a tag, unless that would nest too deep: then its content continues without it.
    fn open(&mut self, begin: &'static str, end: &'static str) {
        let fits = self.open.len() < DEEPEST;
        if fits {
            self.html.raw(begin);
        }
        self.open.push(fits.then_some(end));
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                if let Some((language, text)) = self.code.take() {
                    code::block(&language, &text, self.html);
                }
                return;
            }
            TagEnd::TableHead => self.in_head = false,
            _ => {}
        }
        if let Some(Some(end)) = self.open.pop() {
            self.html.raw(end);
        }
    }

    fn numbered(&mut self, first: u64) {
        if first == 1 || self.open.len() >= DEEPEST {
            return self.open("<ol>", "</ol>");
        }
        self.html.raw("<ol start=\"").display(first.min(999_999_999)).raw("\">");
        self.open.push(Some("</ol>"));
    }

    fn cell(&mut self) -> (&'static str, &'static str) {
        let alignment = self.cells.get(self.cell).copied().unwrap_or(Alignment::None);
        self.cell += 1;
        match (self.in_head, alignment) {
            (true, Alignment::Right) => ("<th scope=\"col\" class=\"right\">", "</th>"),
            (true, Alignment::Center) => ("<th scope=\"col\" class=\"center\">", "</th>"),
            (true, _) => ("<th scope=\"col\">", "</th>"),
            (false, Alignment::Right) => ("<td class=\"right\">", "</td>"),
            (false, Alignment::Center) => ("<td class=\"center\">", "</td>"),
            (false, _) => ("<td>", "</td>"),
        }
    }

    fn link(&mut self, link_type: LinkType, target: &str) {
        let address = match link_type {
            LinkType::Email => format!("mailto:{target}"),
            _ => target.to_owned(),
        };
        if !is_address(&address) || self.open.len() >= DEEPEST {
            // The target is worth seeing where it cannot be followed.
            self.html.raw("<span class=\"link\"").attribute("title", target).raw(">");
            return self.open.push(Some("</span>"));
        }
        self.html.raw("<a").attribute("href", &address);
        self.html.raw(" rel=\"noopener noreferrer nofollow\" target=\"_blank\">");
        self.open.push(Some("</a>"));
    }

    /// The description stands for the image, which would have to be fetched.
    fn image(&mut self, target: &str) {
        self.html
            .raw("<span class=\"link\"")
            .attribute("title", &target.chars().take(200).collect::<String>());
        self.html.raw(">[image] ");
        self.open.push(Some("</span>"));
    }
}

/// Headings of a message are below those of the page.
fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h3 class=\"h1\">", "</h3>"),
        HeadingLevel::H2 => ("<h4 class=\"h2\">", "</h4>"),
        _ => ("<h5 class=\"h3\">", "</h5>"),
    }
}

fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Indented => String::new(),
        CodeBlockKind::Fenced(info) => info.split([' ', ',', '{', ':']).next().unwrap_or_default().to_owned(),
    }
}

fn is_address(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    let schemes = ["http://", "https://", "mailto:"];
    schemes.iter().any(|scheme| lower.starts_with(scheme)) && !target.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, breaks: Breaks) -> String {
        let mut html = Html::default();
        show(text, breaks, &mut html);
        let inner = html.as_str().strip_prefix("<div class=\"md\" dir=\"auto\">").unwrap();
        inner.strip_suffix("</div>").unwrap().to_owned()
    }

    #[test]
    fn forms() {
        assert_eq!(shown("a\nb", Breaks::Flow), "<p>a\nb</p>");
        assert_eq!(shown("a\nb", Breaks::Keep), "<p>a<br>\nb</p>");
        assert_eq!(shown("# T\n\n- [x] *a*", Breaks::Flow).matches("☑").count(), 1);
        assert_eq!(shown("3. x", Breaks::Flow), "<ol start=\"3\"><li>x</li></ol>");
        let table = shown("|a|b|\n|-|-:|\n|1|2|", Breaks::Flow);
        assert!(
            table.contains("<th scope=\"col\">a</th><th scope=\"col\" class=\"right\">b</th>"),
            "{table}"
        );
        assert!(table.ends_with("<td class=\"right\">2</td></tr></tbody></table></div>"), "{table}");
        assert!(shown("```rs\nlet x\n```", Breaks::Flow).contains("data-language=\"rs\""));
    }

    #[test]
    fn nothing_active() {
        let text = "<img src=x onerror=alert(1)> [a](javascript:alert) ![i](https://e.com/i.png) <https://e.com>\n\n\
                    <script>alert(1)</script>\n";
        let html = shown(text, Breaks::Flow);
        assert!(
            !html.contains("<img") && !html.contains("<script") && !html.contains("href=\"javascript"),
            "{html}"
        );
        assert_eq!(html.matches("<a href=\"https://e.com\" rel=\"noopener").count(), 1, "{html}");
        let deep = shown(&">".repeat(5000), Breaks::Flow);
        assert!(
            deep.matches("<blockquote>").count() <= DEEPEST
                && deep.matches("</blockquote>").count() <= DEEPEST
        );
    }
}
