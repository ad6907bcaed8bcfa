//! The `printf` of bash. The interpreter's own knows other escapes and quotes in another way.

mod number;
mod text;

use std::io::Write as _;
use std::pin::Pin;

use brush_core::commands::{CommandArg, ExecutionContext};
use brush_core::{Error, ExecutionResult};

use crate::messages::{Extensions, place};
use number::{Number, Style};

type Running<'a> = Pin<Box<dyn Future<Output = Result<ExecutionResult, Error>> + Send + 'a>>;

pub(crate) const PRINTF_USAGE: &str = "printf [-v var] format [arguments]";

/// `printf [-v NAME] FORMAT [ARGUMENT...]`.
pub(crate) fn printf(context: ExecutionContext<'_, Extensions>, arguments: Vec<CommandArg>) -> Running<'_> {
    let words: Vec<String> = arguments.into_iter().skip(1).map(|argument| argument.to_string()).collect();
    Box::pin(run(context, words))
}

async fn run(
    context: ExecutionContext<'_, Extensions>,
    words: Vec<String>,
) -> Result<ExecutionResult, Error> {
    let Some((variable, format, arguments)) = understand(&words) else {
        writeln!(context.stderr(), "printf: usage: {PRINTF_USAGE}")?;
        return Ok(ExecutionResult::new(2));
    };
    let zone = context.shell.env_str("TZ").map(|zone| zone.into_owned());
    let printed = Printed::new(format, arguments, zone.as_deref());
    for complaint in &printed.complaints {
        writeln!(context.stderr(), "{}: printf: {complaint}", place(context.shell))?;
    }
    match variable {
        Some(name) => {
            let text = String::from_utf8_lossy(&printed.output).into_owned();
            brush_core::expansion::assign_to_named_parameter(context.shell, &context.params, name, text)
                .await?;
        }
        None => {
            let mut stdout = context.stdout();
            stdout.write_all(&printed.output)?;
            stdout.flush()?;
        }
    }
    Ok(ExecutionResult::new(u8::from(!printed.complaints.is_empty())))
}

/// The variable, the format and its arguments.
fn understand(words: &[String]) -> Option<(Option<&str>, &str, &[String])> {
    let (variable, rest) = match words {
        [option, name, rest @ ..] if option == "-v" => (Some(name.as_str()), rest),
        [option, rest @ ..] if option.len() > 2 && option.starts_with("-v") => (Some(&option[2..]), rest),
        rest => (None, rest),
    };
    let rest = match rest {
        [dashes, rest @ ..] if dashes == "--" => rest,
        rest => rest,
    };
    let (format, arguments) = rest.split_first()?;
    Some((variable, format, arguments))
}

/// What a format makes of its arguments.
struct Printed<'a> {
    output: Vec<u8>,
    complaints: Vec<String>,
    arguments: std::slice::Iter<'a, String>,
    zone: Option<&'a str>,
    used: bool,
    stopped: bool,
}

impl<'a> Printed<'a> {
    /// The format is used again and again, until no argument is left.
    fn new(format: &str, arguments: &'a [String], zone: Option<&'a str>) -> Self {
        let arguments = arguments.iter();
        let (output, complaints) = (Vec::new(), Vec::new());
        let mut this = Self { output, complaints, arguments, zone, used: false, stopped: false };
        loop {
            this.used = false;
            this.once(format);
            if this.stopped || !this.used || this.arguments.len() == 0 {
                return this;
            }
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        self.used = true;
        self.arguments.next().map(String::as_str)
    }

    fn once(&mut self, format: &str) {
        let mut rest = format;
        while let Some(letter) = rest.chars().next() {
            match letter {
                '%' => match Directive::parse(&rest[1..], || self.next().unwrap_or_default()) {
                    Some((directive, after)) => {
                        rest = after;
                        self.directive(&directive);
                    }
                    None => {
                        self.complaints.push(format!("`{}': invalid format character", &rest[1..]));
                        self.stopped = true;
                    }
                },
                '\\' => {
                    let (escape, after) = text::escape(&rest[1..], text::EscapeContext::Format);
                    rest = after;
                    match escape {
                        Ok(bytes) => self.output.extend(bytes),
                        Err(text::Odd::Stop) => self.stopped = true,
                        Err(text::Odd::NoDigits(letter)) => {
                            self.complaints.push(format!("missing hex digit for \\{letter}"));
                            self.output.extend([b'\\', letter as u8]);
                        }
                    }
                }
                other => {
                    self.output.extend(other.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = &rest[other.len_utf8()..];
                }
            }
            if self.stopped {
                return;
            }
        }
    }

    fn directive(&mut self, directive: &Directive) {
        let bytes = match directive.conversion {
            '%' => b"%".to_vec(),
            's' => directive.cut(self.next().unwrap_or_default().as_bytes()).to_vec(),
            'c' => self.next().unwrap_or_default().chars().take(1).collect::<String>().into_bytes(),
            'q' | 'Q' => text::quoted(self.next().unwrap_or_default()).into_bytes(),
            'b' => {
                let (bytes, stop) = text::unescaped(self.next().unwrap_or_default());
                self.stopped = stop;
                bytes
            }
            'T' => {
                let (text, complaint) = text::time(directive.time, self.next(), self.zone);
                self.complaints.extend(complaint);
                text.into_bytes()
            }
            _ => return self.number(directive),
        };
        self.padded(&bytes, directive, false);
    }

    fn number(&mut self, directive: &Directive) {
        let (number, complaint) = Number::parse(self.next().unwrap_or_default(), directive.conversion);
        self.complaints.extend(complaint);
        let text = number.show(directive.conversion, &directive.style);
        let zeros = directive.style.zeros && (directive.style.precision.is_none() || number.is_float());
        self.padded(text.as_bytes(), directive, zeros);
    }

    /// To the width that is asked for. Bytes count, as they do in bash.
    fn padded(&mut self, bytes: &[u8], directive: &Directive, zeros: bool) {
        let missing = directive.width.saturating_sub(bytes.len());
        if directive.left {
            self.output.extend(bytes);
            self.output.extend(std::iter::repeat_n(b' ', missing));
        } else if zeros {
            let digits = bytes.iter().position(|byte| byte.is_ascii_alphanumeric()).unwrap_or(0);
            let digits = if bytes[digits..].starts_with(b"0x") { digits + 2 } else { digits };
            self.output.extend(&bytes[..digits]);
            self.output.extend(std::iter::repeat_n(b'0', missing));
            self.output.extend(&bytes[digits..]);
        } else {
            self.output.extend(std::iter::repeat_n(b' ', missing));
            self.output.extend(bytes);
        }
    }
}

/// What follows a percent sign.
struct Directive<'a> {
    left: bool,
    width: usize,
    style: Style,
    conversion: char,
    /// The format of a time.
    time: &'a str,
}

impl<'a> Directive<'a> {
    /// The directive and what comes after it. Widths may be arguments.
    fn parse<'b>(text: &'a str, mut next: impl FnMut() -> &'b str) -> Option<(Self, &'a str)> {
        let flags = text.find(|letter| !"-+ 0#'".contains(letter))?;
        let has = |flag| text[..flags].contains(flag);
        let mut left = has('-');
        let mut style =
            Style { plus: has('+'), space: has(' '), zeros: has('0'), alternate: has('#'), precision: None };
        let (width, mut rest) = Self::count(&text[flags..], &mut next);
        let mut width = width.unwrap_or(0);
        if width < 0 {
            (left, width) = (true, -width);
        }
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = Self::count(after, &mut next);
            style.precision = usize::try_from(precision.unwrap_or(0)).ok();
            rest = after;
        }
        let mut time = "";
        if let Some((inside, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(")T")) {
            time = inside;
            return Some((
                Self { left, width: usize::try_from(width).ok()?, style, conversion: 'T', time },
                after,
            ));
        }
        let rest = rest.trim_start_matches(['h', 'l', 'L', 'j', 'z', 't']);
        let conversion = rest.chars().next().filter(|letter| "%scqQbdiouxXeEfFgGaA".contains(*letter))?;
        let width = usize::try_from(width).ok()?;
        Some((Self { left, width, style, conversion, time }, &rest[1..]))
    }

    fn count<'b>(text: &'a str, next: &mut impl FnMut() -> &'b str) -> (Option<i64>, &'a str) {
        if let Some(rest) = text.strip_prefix('*') {
            return (next().parse().ok(), rest);
        }
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        (text[..digits].parse().ok(), &text[digits..])
    }

    /// As much of a text as the precision allows.
    fn cut<'b>(&self, text: &'b [u8]) -> &'b [u8] {
        self.style.precision.and_then(|precision| text.get(..precision)).unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Printed;

    fn printed(format: &str, arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        String::from_utf8(Printed::new(format, &arguments, None).output).unwrap()
    }

    #[test]
    fn a_format_is_used_until_no_argument_is_left() {
        assert_eq!(printed("%s-", &["a", "b"]), "a-b-");
        assert_eq!(printed("%s|%d\\n", &[]), "|0\n");
        assert_eq!(printed("100%%", &["x", "y"]), "100%");
        assert_eq!(printed("%b.%s", &["a\\cb", "x"]), "a");
    }

    #[test]
    fn widths_and_precisions() {
        assert_eq!(printed("[%5s][%-5s][%05d][%+d]", &["ab", "cd", "42", "7"]), "[   ab][cd   ][00042][+7]");
        assert_eq!(printed("[%*s][%-*s][%.*f]", &["4", "a", "4", "b", "1", "2.55"]), "[   a][b   ][2.5]");
        assert_eq!(
            printed("%x %X %#o %e %g", &["255", "255", "8", "12345.678", "0.0001"]),
            "ff FF 010 1.234568e+04 0.0001"
        );
    }
}
