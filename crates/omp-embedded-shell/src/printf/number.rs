//! Numbers as `printf` reads and shows them.

/// How a number is to be shown.
pub(super) struct Style {
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) zeros: bool,
    pub(super) alternate: bool,
    pub(super) precision: Option<usize>,
}

#[derive(Clone, Copy)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// The number at the beginning of a text, and what is wrong with the text.
    pub(super) fn parse(text: &str, conversion: char) -> (Self, Option<String>) {
        if let Some(letter) = text.strip_prefix(['\'', '"']) {
            let code = letter.chars().next().map_or(0, |letter| i64::from(u32::from(letter)));
            return (Self::of(code, conversion), None);
        }
        let trimmed = text.trim_start();
        if "eEfFgGaA".contains(conversion) {
            let (value, length) = float(trimmed);
            return (Self::Float(value), complaint(text, trimmed, length));
        }
        let (value, length) = integer(trimmed);
        (Self::Integer(value), complaint(text, trimmed, length))
    }

    fn of(code: i64, conversion: char) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "code points are small")]
        if "eEfFgGaA".contains(conversion) { Self::Float(code as f64) } else { Self::Integer(code) }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    pub(super) fn show(self, conversion: char, style: &Style) -> String {
        match self {
            Self::Integer(value) => show_integer(value, conversion, style),
            Self::Float(value) => {
                let digits = show_float(value.abs(), conversion, style);
                signed(value.is_sign_negative(), &digits, style)
            }
        }
    }
}

fn complaint(text: &str, trimmed: &str, length: usize) -> Option<String> {
    (length < trimmed.len() || (trimmed.is_empty() && !text.is_empty()))
        .then(|| format!("{text}: invalid number"))
}

/// An integer as in C, and how long it is.
fn integer(text: &str) -> (i64, usize) {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (radix, digits) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &unsigned[2..]),
        [b'0', ..] => (8, unsigned),
        _ => (10, unsigned),
    };
    let length = digits.find(|letter: char| !letter.is_digit(radix)).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(length);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let value = i64::from_str_radix(&format!("{sign}{digits}"), radix)
        .or_else(|_| u64::from_str_radix(digits, radix).map(u64::cast_signed))
        .unwrap_or(if digits.is_empty() { 0 } else { i64::MAX });
    (value, text.len() - rest.len())
}

/// A floating-point number at the beginning of a text, and how long it is.
fn float(text: &str) -> (f64, usize) {
    if text.starts_with("0x") || text.starts_with("0X") {
        let (value, length) = integer(text);
        #[expect(clippy::cast_precision_loss, reason = "as in C")]
        return (value as f64, length);
    }
    let candidates = (1..=text.len()).rev().filter(|end| text.is_char_boundary(*end));
    for end in candidates {
        if let Ok(value) = text[..end].parse::<f64>() {
            return (value, end);
        }
    }
    (0.0, 0)
}

fn show_integer(value: i64, conversion: char, style: &Style) -> String {
    let digits = match conversion {
        'd' | 'i' => value.unsigned_abs().to_string(),
        'o' if style.alternate => format!("0{value:o}"),
        'o' => format!("{value:o}"),
        'x' if style.alternate && value != 0 => format!("0x{value:x}"),
        'x' => format!("{value:x}"),
        'X' if style.alternate && value != 0 => format!("0X{value:X}"),
        'X' => format!("{value:X}"),
        _ => value.cast_unsigned().to_string(),
    };
    let digits = format!("{digits:0>width$}", width = style.precision.unwrap_or(0));
    if matches!(conversion, 'd' | 'i') { signed(value < 0, &digits, style) } else { digits }
}

fn signed(negative: bool, digits: &str, style: &Style) -> String {
    let sign = match (negative, style.plus, style.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    };
    format!("{sign}{digits}")
}

fn show_float(value: f64, conversion: char, style: &Style) -> String {
    let precision = style.precision.unwrap_or(6);
    let text = if !value.is_finite() {
        if value.is_nan() { "nan".to_owned() } else { "inf".to_owned() }
    } else {
        match conversion.to_ascii_lowercase() {
            'e' => exponential(value, precision),
            'g' | 'a' => general(value, precision.max(1), style.alternate),
            _ => format!("{value:.precision$}"),
        }
    };
    if conversion.is_ascii_uppercase() { text.to_uppercase() } else { text }
}

/// `1.5e+03`.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// The shorter of the two, without zeros at the end.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = exponential(value, precision - 1);
    let exponent: i32 =
        scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let digits = i32::try_from(precision).unwrap_or(i32::MAX);
    let trim = |text: &str| {
        if keep_zeros || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if exponent < -4 || exponent >= digits {
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{exponent}", trim(mantissa));
    }
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    trim(&format!("{value:.decimals$}"))
}
