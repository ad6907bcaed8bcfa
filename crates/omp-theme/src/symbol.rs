//! Symbols by name, in three presets: for any Unicode terminal, for fonts with icons, and for ASCII alone.
//!
//! No symbol of the Unicode preset is an emoji or takes two cells: what a terminal draws must not depend on its font.

/// A set of symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Signs that common fonts have.
    #[default]
    Unicode,
    /// Icons of the Nerd Fonts.
    Nerd,
    /// Letters and punctuation only.
    Ascii,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Unicode, Self::Nerd, Self::Ascii];

    /// The name in settings and theme files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unicode => "unicode",
            Self::Nerd => "nerd",
            Self::Ascii => "ascii",
        }
    }

    /// The preset of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}

macro_rules! symbols {
    ($($variant:ident $key:literal $unicode:literal $nerd:literal $ascii:literal;)*) => {
        /// Something that is drawn as a sign.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Symbol {
            $(#[doc = concat!("`", $key, "` in theme files.")] $variant,)*
        }

        impl Symbol {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The key in theme files.
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => $key,)*
                }
            }

            /// How a preset draws it.
            pub fn in_preset(self, preset: Preset) -> &'static str {
                let [unicode, nerd, ascii] = match self {
                    $(Self::$variant => [$unicode, $nerd, $ascii],)*
                };
                match preset {
                    Preset::Unicode => unicode,
                    Preset::Nerd => nerd,
                    Preset::Ascii => ascii,
                }
            }
        }
    };
}

symbols! {
    // What became of something.
    StatusSuccess "status.success" "✓" "\u{f00c}" "ok";
    StatusError "status.error" "✗" "\u{f00d}" "x";
    StatusWarning "status.warning" "▲" "\u{f071}" "!";
    StatusInfo "status.info" "◆" "\u{f05a}" "i";
    StatusPending "status.pending" "○" "\u{f10c}" ".";
    StatusRunning "status.running" "◐" "\u{f110}" "~";
    StatusAborted "status.aborted" "■" "\u{f05e}" "-";
    StatusEnabled "status.enabled" "●" "\u{f111}" "*";
    StatusDisabled "status.disabled" "○" "\u{f10c}" "o";
    StatusShadowed "status.shadowed" "◌" "\u{f192}" "/";
    // Moving through lists and trees.
    NavCursor "nav.cursor" "❯" "\u{f054}" ">";
    NavSelected "nav.selected" "›" "\u{f105}" ">";
    NavExpand "nav.expand" "▸" "\u{f0da}" "+";
    NavCollapse "nav.collapse" "▾" "\u{f0d7}" "-";
    NavBack "nav.back" "←" "\u{f060}" "<-";
    NavUp "nav.up" "↑" "\u{f062}" "^";
    NavDown "nav.down" "↓" "\u{f063}" "v";
    TreeBranch "tree.branch" "├─" "├─" "|-";
    TreeLast "tree.last" "└─" "└─" "`-";
    TreeVertical "tree.vertical" "│" "│" "|";
    TreeHorizontal "tree.horizontal" "─" "─" "-";
    TreeHook "tree.hook" "└" "└" "`";
    CheckboxChecked "checkbox.checked" "■" "\u{f046}" "[x]";
    CheckboxUnchecked "checkbox.unchecked" "□" "\u{f096}" "[ ]";
    RadioSelected "radio.selected" "●" "\u{f192}" "(*)";
    RadioUnselected "radio.unselected" "○" "\u{f10c}" "( )";
    // Boxes.
    BoxRoundTopLeft "boxRound.topLeft" "╭" "╭" "+";
    BoxRoundTopRight "boxRound.topRight" "╮" "╮" "+";
    BoxRoundBottomLeft "boxRound.bottomLeft" "╰" "╰" "+";
    BoxRoundBottomRight "boxRound.bottomRight" "╯" "╯" "+";
    BoxRoundHorizontal "boxRound.horizontal" "─" "─" "-";
    BoxRoundVertical "boxRound.vertical" "│" "│" "|";
    BoxSharpTopLeft "boxSharp.topLeft" "┌" "┌" "+";
    BoxSharpTopRight "boxSharp.topRight" "┐" "┐" "+";
    BoxSharpBottomLeft "boxSharp.bottomLeft" "└" "└" "+";
    BoxSharpBottomRight "boxSharp.bottomRight" "┘" "┘" "+";
    BoxSharpHorizontal "boxSharp.horizontal" "─" "─" "-";
    BoxSharpVertical "boxSharp.vertical" "│" "│" "|";
    BoxSharpCross "boxSharp.cross" "┼" "┼" "+";
    BoxSharpTeeDown "boxSharp.teeDown" "┬" "┬" "+";
    BoxSharpTeeUp "boxSharp.teeUp" "┴" "┴" "+";
    BoxSharpTeeRight "boxSharp.teeRight" "├" "├" "+";
    BoxSharpTeeLeft "boxSharp.teeLeft" "┤" "┤" "+";
    // Between the segments of the status line.
    SepPowerlineLeft "sep.powerlineLeft" "▸" "\u{e0b0}" ">";
    SepPowerlineRight "sep.powerlineRight" "◂" "\u{e0b2}" "<";
    SepPowerlineThinLeft "sep.powerlineThinLeft" "›" "\u{e0b1}" ">";
    SepPowerlineThinRight "sep.powerlineThinRight" "‹" "\u{e0b3}" "<";
    SepSlash "sep.slash" "/" "/" "/";
    SepPipe "sep.pipe" "│" "│" "|";
    SepDot "sep.dot" "·" "·" "-";
    SepBlock "sep.block" "▌" "▌" "#";
    // Markdown and text.
    MdBullet "md.bullet" "•" "•" "-";
    MdQuoteBorder "md.quoteBorder" "▎" "▎" "|";
    MdHr "md.hr" "─" "─" "-";
    MdTaskDone "md.taskDone" "■" "\u{f046}" "[x]";
    MdTaskOpen "md.taskOpen" "□" "\u{f096}" "[ ]";
    FormatEllipsis "format.ellipsis" "…" "…" "...";
    FormatDash "format.dash" "–" "–" "-";
    FormatArrow "format.arrow" "→" "→" "->";
    FormatReturn "format.return" "↵" "↵" "^J";
    FormatBlock "format.block" "█" "█" "#";
    FormatBlockEmpty "format.blockEmpty" "░" "░" ".";
    FormatAdded "format.added" "+" "+" "+";
    FormatRemoved "format.removed" "-" "-" "-";
    ScrollTrack "scroll.track" "│" "│" "|";
    ScrollThumb "scroll.thumb" "┃" "┃" "#";
    // Who and what.
    IconUser "icon.user" "❯" "\u{f007}" ">";
    IconAgent "icon.agent" "●" "\u{f135}" "*";
    IconModel "icon.model" "◈" "\u{f2db}" "@";
    IconThinking "icon.thinking" "✻" "\u{f0eb}" "~";
    IconFast "icon.fast" "»" "\u{f0e7}" ">>";
    IconPlan "icon.plan" "◫" "\u{f0cb}" "P";
    IconGoal "icon.goal" "◎" "\u{f140}" "G";
    IconLoop "icon.loop" "↻" "\u{f01e}" "L";
    IconTodo "icon.todo" "□" "\u{f0ae}" "#";
    IconQueue "icon.queue" "↳" "\u{f149}" "+";
    IconFile "icon.file" "▤" "\u{f15b}" "F";
    IconFolder "icon.folder" "▣" "\u{f07b}" "D";
    IconGit "icon.git" "±" "\u{f1d3}" "git:";
    IconBranch "icon.branch" "⎇" "\u{e0a0}" "-<";
    IconPullRequest "icon.pullRequest" "⇄" "\u{f126}" "PR";
    IconTokens "icon.tokens" "Σ" "\u{f1c0}" "T";
    IconContext "icon.context" "◔" "\u{f200}" "C";
    IconCost "icon.cost" "$" "\u{f155}" "$";
    IconTime "icon.time" "◷" "\u{f017}" "t";
    IconAgents "icon.agents" "⁂" "\u{f0c0}" "A";
    IconJobs "icon.jobs" "⧗" "\u{f013}" "J";
    IconCache "icon.cache" "↺" "\u{f1c0}" "$c";
    IconInput "icon.input" "↑" "\u{f062}" "in:";
    IconOutput "icon.output" "↓" "\u{f063}" "out:";
    IconHost "icon.host" "⌂" "\u{f109}" "host:";
    IconSession "icon.session" "≡" "\u{f15c}" "id:";
    IconPackage "icon.package" "◰" "\u{f187}" "pkg:";
    IconExtension "icon.extension" "✚" "\u{f12e}" "ext:";
    IconSkill "icon.skill" "★" "\u{f0ad}" "skill:";
    IconSearch "icon.search" "⌕" "\u{f002}" "?";
    IconEdit "icon.edit" "✎" "\u{f044}" "e";
    IconTerminal "icon.terminal" "$" "\u{f120}" "$";
    IconWeb "icon.web" "⊕" "\u{f0ac}" "w";
    IconImage "icon.image" "▨" "\u{f03e}" "img";
    IconLink "icon.link" "⇗" "\u{f0c1}" "->";
    IconPin "icon.pin" "†" "\u{f08d}" "*";
    IconLock "icon.lock" "⊠" "\u{f023}" "lock";
    IconMic "icon.mic" "◉" "\u{f130}" "mic";
    IconPaste "icon.paste" "▥" "\u{f0ea}" "#";
    IconCompact "icon.compact" "≣" "\u{f066}" "=";
    IconCheckpoint "icon.checkpoint" "⚑" "\u{f024}" "^";
    IconQuestion "icon.question" "?" "\u{f128}" "?";
}

impl Symbol {
    /// The symbol of that key in theme files.
    pub fn find(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|symbol| symbol.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use omp_tui::text::width::{clusters, text_width};

    use super::*;

    #[test]
    fn every_key_is_there_once() {
        for (index, symbol) in Symbol::ALL.iter().enumerate() {
            assert_eq!(*symbol as usize, index);
            assert_eq!(Symbol::find(symbol.key()), Some(*symbol));
        }
    }

    #[test]
    fn ascii_is_ascii_and_unicode_is_narrow() {
        for symbol in Symbol::ALL {
            let ascii = symbol.in_preset(Preset::Ascii);
            assert!(!ascii.is_empty() && ascii.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{ascii:?}");
            for preset in [Preset::Unicode, Preset::Nerd] {
                for cluster in clusters(symbol.in_preset(preset)) {
                    assert!(cluster.width == 1 && !cluster.contested, "{} in {preset:?}", symbol.key());
                }
            }
            let unicode = symbol.in_preset(Preset::Unicode);
            assert!(text_width(unicode) <= 2);
            // A sign that the emoji selector makes wider is an emoji in some fonts without it, too.
            let as_emoji = format!("{unicode}\u{fe0f}");
            assert_eq!(text_width(&as_emoji), text_width(unicode), "{}", symbol.key());
        }
    }
}
