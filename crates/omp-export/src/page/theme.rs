//! The colours of a page.

use crate::markup::Html;

/// A colour. Only numbers reach the page, so no theme can smuggle anything into its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

/// The colours of one appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Behind everything.
    pub background: Color,
    /// Behind cards and code.
    pub surface: Color,
    /// Behind remarks and summaries.
    pub info: Color,
    /// Lines between things.
    pub border: Color,
    /// What is read.
    pub text: Color,
    /// What is looked at second: times, counts, thinking.
    pub muted: Color,
    /// Links, the active branch, the user's words.
    pub accent: Color,
    /// Added lines, calls that worked.
    pub success: Color,
    /// Removed lines, calls that failed.
    pub error: Color,
    /// Summaries and labels.
    pub warning: Color,
    /// Words of a language, in code.
    pub keyword: Color,
    /// Strings, in code.
    pub string: Color,
    /// Numbers, in code.
    pub number: Color,
    /// Calls, in code.
    pub function: Color,
}

/// Both appearances of a page; the reader's system chooses, and so may the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// On a dark ground.
    pub dark: Palette,
    /// On a light ground, and on paper.
    pub light: Palette,
}

impl Default for Theme {
    fn default() -> Self {
        Self {
            dark: Palette {
                background: Color(0x11, 0x13, 0x18),
                surface: Color(0x19, 0x1c, 0x23),
                info: Color(0x17, 0x1a, 0x22),
                border: Color(0x2d, 0x32, 0x3d),
                text: Color(0xe3, 0xe6, 0xeb),
                muted: Color(0x98, 0xa1, 0xb0),
                accent: Color(0x8c, 0xb4, 0xff),
                success: Color(0x6f, 0xd3, 0x9b),
                error: Color(0xff, 0x8f, 0x8f),
                warning: Color(0xf0, 0xc6, 0x74),
                keyword: Color(0xc4, 0xa7, 0xf5),
                string: Color(0xa5, 0xd6, 0xa7),
                number: Color(0xf2, 0xb8, 0x80),
                function: Color(0x7f, 0xc8, 0xf8),
            },
            light: Palette {
                background: Color(0xfc, 0xfc, 0xfb),
                surface: Color(0xf4, 0xf4, 0xf2),
                info: Color(0xf6, 0xf6, 0xf3),
                border: Color(0xdf, 0xdf, 0xda),
                text: Color(0x1e, 0x22, 0x29),
                muted: Color(0x5f, 0x68, 0x76),
                accent: Color(0x2b, 0x59, 0xc9),
                success: Color(0x17, 0x72, 0x43),
                error: Color(0xb9, 0x2a, 0x35),
                warning: Color(0x85, 0x57, 0x00),
                keyword: Color(0x77, 0x3b, 0xb8),
                string: Color(0x1f, 0x6b, 0x44),
                number: Color(0x93, 0x49, 0x0b),
                function: Color(0x1c, 0x5a, 0xa6),
            },
        }
    }
}

impl Theme {
    /// The beginning of the style sheet: names for all colours, by the reader's wish.
    pub(super) fn style(&self, html: &mut Html) {
        html.raw(":root{color-scheme:light;");
        self.light.names(html);
        html.raw("}\n@media(prefers-color-scheme:dark){:root{color-scheme:dark;");
        self.dark.names(html);
        html.raw("}}\n:root[data-theme=light]{color-scheme:light;");
        self.light.names(html);
        html.raw("}\n:root[data-theme=dark]{color-scheme:dark;");
        self.dark.names(html);
        html.raw("}\n@media print{:root,:root[data-theme]{color-scheme:light;");
        self.light.names(html);
        html.raw("}}\n");
    }
}

impl Palette {
    fn names(&self, html: &mut Html) {
        let names = [
            ("--background:", self.background),
            ("--surface:", self.surface),
            ("--info:", self.info),
            ("--border:", self.border),
            ("--text:", self.text),
            ("--muted:", self.muted),
            ("--accent:", self.accent),
            ("--success:", self.success),
            ("--error:", self.error),
            ("--warning:", self.warning),
            ("--keyword:", self.keyword),
            ("--string:", self.string),
            ("--number:", self.number),
            ("--function:", self.function),
        ];
        for (name, Color(red, green, blue)) in names {
            html.raw(name).display(format_args!("#{red:02x}{green:02x}{blue:02x};"));
        }
    }
}
