//! What a colour is for. Views name tokens, themes give them colours.

macro_rules! tokens {
    ($($variant:ident $name:literal;)*) => {
        /// A purpose that has a colour in every theme.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Token {
            $(#[doc = concat!("`", $name, "` in theme files.")] $variant,)*
        }

        impl Token {
            /// All of them, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in theme files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

tokens! {
    // Text and borders.
    Accent "accent";
    Border "border";
    BorderAccent "borderAccent";
    BorderMuted "borderMuted";
    Success "success";
    Error "error";
    Warning "warning";
    Muted "muted";
    Dim "dim";
    Text "text";
    ThinkingText "thinkingText";
    // Backgrounds of blocks.
    SelectedBg "selectedBg";
    UserMessageBg "userMessageBg";
    CustomMessageBg "customMessageBg";
    ToolPendingBg "toolPendingBg";
    ToolSuccessBg "toolSuccessBg";
    ToolErrorBg "toolErrorBg";
    StatusLineBg "statusLineBg";
    // Messages and tools.
    UserMessageText "userMessageText";
    CustomMessageText "customMessageText";
    CustomMessageLabel "customMessageLabel";
    ToolTitle "toolTitle";
    ToolOutput "toolOutput";
    // Markdown.
    MdHeading "mdHeading";
    MdLink "mdLink";
    MdLinkUrl "mdLinkUrl";
    MdCode "mdCode";
    MdCodeBlock "mdCodeBlock";
    MdCodeBlockBorder "mdCodeBlockBorder";
    MdQuote "mdQuote";
    MdQuoteBorder "mdQuoteBorder";
    MdHr "mdHr";
    MdListBullet "mdListBullet";
    // Diffs and code.
    ToolDiffAdded "toolDiffAdded";
    ToolDiffRemoved "toolDiffRemoved";
    ToolDiffContext "toolDiffContext";
    SyntaxComment "syntaxComment";
    SyntaxKeyword "syntaxKeyword";
    SyntaxFunction "syntaxFunction";
    SyntaxVariable "syntaxVariable";
    SyntaxString "syntaxString";
    SyntaxNumber "syntaxNumber";
    SyntaxType "syntaxType";
    SyntaxOperator "syntaxOperator";
    SyntaxPunctuation "syntaxPunctuation";
    // The border of the editor: effort and modes.
    ThinkingOff "thinkingOff";
    ThinkingMinimal "thinkingMinimal";
    ThinkingLow "thinkingLow";
    ThinkingMedium "thinkingMedium";
    ThinkingHigh "thinkingHigh";
    ThinkingXhigh "thinkingXhigh";
    BashMode "bashMode";
    PythonMode "pythonMode";
    // Segments of the status line.
    StatusLineSep "statusLineSep";
    StatusLineModel "statusLineModel";
    StatusLinePath "statusLinePath";
    StatusLineGitClean "statusLineGitClean";
    StatusLineGitDirty "statusLineGitDirty";
    StatusLineContext "statusLineContext";
    StatusLineSpend "statusLineSpend";
    StatusLineStaged "statusLineStaged";
    StatusLineDirty "statusLineDirty";
    StatusLineUntracked "statusLineUntracked";
    StatusLineOutput "statusLineOutput";
    StatusLineCost "statusLineCost";
    StatusLineSubagents "statusLineSubagents";
}

impl Token {
    /// The token of that name in theme files.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|token| token.name() == name)
    }

    /// Whether it colours what is behind text.
    pub fn is_background(self) -> bool {
        self.name().ends_with("Bg")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        assert_eq!(Token::ALL.len(), 66);
        for (index, token) in Token::ALL.iter().enumerate() {
            assert_eq!(*token as usize, index);
            assert_eq!(Token::find(token.name()), Some(*token));
        }
        assert_eq!(Token::ALL.iter().filter(|token| token.is_background()).count(), 7);
        assert_eq!(Token::find("Accent"), None);
    }
}
