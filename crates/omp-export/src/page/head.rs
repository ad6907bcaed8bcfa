//! What comes before the conversation.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

use super::{Page, PageOptions, SCRIPT, STYLE};
use crate::code;
use crate::markdown::{self, Breaks};
use crate::markup::Html;
use crate::number::{dollars, moment, one_line, plural, tokens};
use crate::outline::{Outline, OutlineKind};
use crate::view::SessionView;

/// The end of the page, up to its script.
const FOOT: &str = include_str!("../../assets/foot.html");

impl Page<'_> {
    /// Up to the bar at the top. The policy allows this style, this script and images inside the page, nothing else.
    pub(super) fn head(
        &mut self,
        view: &SessionView<'_>,
        outline: &Outline,
        options: &PageOptions<'_>,
    ) -> io::Result<()> {
        let mut style = Html::default();
        options.theme.style(&mut style);
        style.raw(STYLE);
        let mut css = Vec::new();
        style.drain(&mut css)?;
        let title = title(view, outline);
        let html = &mut self.html;
        html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.raw(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; ",
        );
        html.raw("style-src 'sha256-");
        html.base64(&hash(&css));
        html.raw("'; script-src 'sha256-");
        html.base64(&hash(SCRIPT.as_bytes()));
        html.raw("'; base-uri 'none'; form-action 'none'\">\n");
        html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.raw(
            "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n",
        );
        html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
        html.raw(concat!("<meta name=\"generator\" content=\"omp ", env!("CARGO_PKG_VERSION"), "\">\n"));
        html.raw("<title>").plain(&title).raw("</title>\n<style>");
        self.flush()?;
        self.out.write_all(&css)?;
        let html = &mut self.html;
        html.raw("</style>\n</head>\n<body id=\"top\">\n");
        html.raw("<a class=\"skip\" href=\"#main\">Skip to the conversation</a>\n<header class=\"bar\">");
        html.raw("<a class=\"button menu\" href=\"#tree\" aria-label=\"Open the tree\">☰</a>");
        html.raw("<span class=\"brand\">omp</span><span class=\"name\">").text(&title).raw("</span>");
        html.raw("<span class=\"tools\"><button type=\"button\" id=\"expand\">Expand all</button>");
        html.raw("<button type=\"button\" id=\"theme\" aria-label=\"Colours\">◐</button></span></header>\n");
        Ok(())
    }

    /// Title and figures.
    pub(super) fn hero(&mut self, view: &SessionView<'_>, outline: &Outline) {
        let total = &outline.total;
        let html = &mut self.html;
        html.raw("<header class=\"hero\"><h1 dir=\"auto\">")
            .text(&title(view, outline))
            .raw("</h1>\n<p class=\"meta\">");
        let started = view.header_text("timestamp").unwrap_or(&total.last);
        html.raw("<time").attribute("datetime", started).raw(">").text(&moment(started)).raw(" UTC</time>");
        if let Some(cwd) = view.header_text("cwd") {
            html.raw("<span class=\"path\">").text(cwd).raw("</span>");
        }
        for model in &total.models {
            html.raw("<span>").text(model).raw("</span>");
        }
        html.raw("</p>\n<dl class=\"figures\">");
        figure(html, "Prompts", &total.prompts.to_string());
        figure(html, "Answers", &total.answers.to_string());
        figure(html, "Tool calls", &total.calls.to_string());
        figure(html, "Tokens in", &tokens(total.usage.input.saturating_add(total.usage.cache_write)));
        figure(html, "Cached", &tokens(total.usage.cache_read));
        figure(html, "Tokens out", &tokens(total.usage.output));
        figure(html, "Cost", &dollars(total.usage.cost.total));
        html.raw("</dl>");
        if outline.skipped > 0 {
            html.raw("<p class=\"failure\">").text(&plural(outline.skipped, "line", "lines"));
            html.raw(" of the session could not be read.</p>");
        }
        html.raw("</header>\n");
    }

    /// What the model was told before the conversation.
    pub(super) fn preamble(&mut self, options: &PageOptions<'_>) {
        if options.system_prompt.is_none() && options.tools.is_empty() {
            return;
        }
        let html = &mut self.html;
        html.raw("<section class=\"preamble\" aria-label=\"Instructions and tools\">");
        if let Some(prompt) = options.system_prompt {
            html.raw("<details class=\"fold\" id=\"system-prompt\"><summary>System prompt <small>");
            html.text(&plural(prompt.chars().count(), "character", "characters")).raw("</small></summary>");
            markdown::show(prompt, Breaks::Keep, html);
            html.raw("</details>");
        }
        if !options.tools.is_empty() {
            html.raw("<details class=\"fold\" id=\"tools\"><summary>Tools <small>");
            html.display(options.tools.len()).raw("</small></summary><div class=\"toollist\">");
            for tool in options.tools {
                html.raw("<details><summary><code>").text(&tool.name).raw("</code> <span class=\"what\">");
                html.text(&one_line(&tool.description, 110)).raw("</span></summary>");
                markdown::show(&tool.description, Breaks::Keep, html);
                code::block(
                    "json",
                    &serde_json::to_string_pretty(&tool.parameters).unwrap_or_default(),
                    html,
                );
                html.raw("</details>");
            }
            html.raw("</div></details>");
        }
        html.raw("</section>\n");
    }

    /// What comes after everything.
    pub(super) fn foot(&mut self) -> io::Result<()> {
        self.html.raw(FOOT).raw("<script>").raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
        self.flush()?;
        self.out.flush()
    }
}

fn figure(html: &mut Html, name: &'static str, value: &str) {
    html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd></div>");
}

fn hash(bytes: &[u8]) -> String {
    STANDARD.encode(digest(&SHA256, bytes))
}

/// The session's name: its title, else how it begins.
fn title(view: &SessionView<'_>, outline: &Outline) -> String {
    let first =
        outline.nodes.iter().find(|node| node.kind == OutlineKind::User).map(|node| node.summary.as_str());
    one_line(view.header_text("title").or(first).unwrap_or("Session"), 120)
}
