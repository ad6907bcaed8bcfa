//! Plots as SVG: bars over days, and bars beside names. Pure text; a page can hold them as they are.

use std::fmt::Write;

/// The inside of a plot over days, in its own units.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 160.0;
/// Room for numbers at the left and days below.
const LEFT: f64 = 64.0;
const BELOW: f64 = 24.0;
/// Lines across a plot.
const STEPS: u32 = 4;

/// One day: parts that stand on each other, each with the class of its colour.
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) parts: Vec<(&'static str, f64)>,
}

impl Bar {
    fn height(&self) -> f64 {
        self.parts.iter().map(|(_, value)| value.max(0.0)).sum()
    }
}

/// Bars from left to right, with a scale whose numbers are written by `shown`.
pub(crate) fn over_days(title: &str, bars: &[Bar], shown: impl Fn(f64) -> String) -> String {
    let most = rounded(bars.iter().map(Bar::height).fold(0.0, f64::max));
    let (width, height) = (LEFT + WIDTH, HEIGHT + BELOW);
    let mut svg = format!(
        "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}\">",
        escape(title)
    );
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        let y = HEIGHT * (1.0 - share) + 4.0;
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{width}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"scale\" \
             x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            escape(&shown(most * share))
        );
    }
    let room = WIDTH / bars.len().max(1) as f64;
    let every = bars.len().div_ceil(8).max(1);
    for (place, bar) in bars.iter().enumerate() {
        let x = LEFT + room * place as f64;
        svg.push_str(&stacked(bar, x, room, most, &shown));
        if place % every == 0 {
            let label = bar.label.get(5..).unwrap_or(&bar.label);
            let _ = write!(
                svg,
                "<text class=\"day\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + room / 2.0,
                HEIGHT + 20.0,
                escape(label)
            );
        }
    }
    svg.push_str("</svg></figure>");
    svg
}

fn stacked(bar: &Bar, x: f64, room: f64, most: f64, shown: &impl Fn(f64) -> String) -> String {
    let mut svg = format!("<g><title>{}: {}</title>", escape(&bar.label), escape(&shown(bar.height())));
    let mut y = HEIGHT + 4.0;
    for (class, value) in bar.parts.iter().filter(|(_, value)| *value > 0.0) {
        let height = HEIGHT * value / most;
        y -= height;
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            x + room * 0.1,
            room * 0.8
        );
    }
    svg.push_str("</g>");
    svg
}

/// The next number that a scale would end with.
fn rounded(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let unit = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 5.0, 10.0].into_iter().map(|step| step * unit).find(|end| *end >= most).unwrap_or(most)
}

/// A text as HTML shows it.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_with_round_numbers() {
        for (most, end) in
            [(0.0, 1.0), (f64::NAN, 1.0), (0.03, 0.04), (1.0, 1.0), (37.0, 40.0), (9_900.0, 10_000.0)]
        {
            assert!((rounded(most) - end).abs() < 1e-9, "{most}: {}", rounded(most));
        }
    }

    #[test]
    fn names_cannot_become_markup() {
        let bar = Bar { label: "<script>&\"'\u{7}".to_owned(), parts: vec![("cost", 1.0)] };
        let svg = over_days("a <b>", &[bar], |value| format!("{value}"));
        assert!(!svg.contains("<script>") && !svg.contains("<b>") && !svg.contains('\u{7}'), "{svg}");
        assert!(svg.contains("&lt;script&gt;&amp;&quot;&#39;"), "{svg}");
    }
}
