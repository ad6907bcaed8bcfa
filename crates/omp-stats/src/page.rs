//! The statistics as one page that needs nothing else: no script, no font, no picture from anywhere.

use std::collections::HashMap;
use std::fmt::Write;

use jiff::civil::Date;

use crate::chart::{Bar, escape, over_days};
use crate::summary::{Group, Summary, Totals};
use crate::text::{money, short, time};

const STYLE: &str = include_str!("page.css");
/// Days in a plot.
const MOST_DAYS: usize = 60;
/// Rows in a table.
const MOST_ROWS: usize = 50;

/// The whole page.
pub(crate) fn page(summary: &Summary) -> String {
    let days = every_day(&summary.days);
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>omp: statistics</title><style>{STYLE}</style></head>\
         <body><h1>Requests, tokens and cost</h1>"
    );
    cards(&mut html, &summary.total, &summary.side);
    if summary.total.requests == 0 {
        html.push_str("<p>No requests yet.</p>");
    } else {
        plots(&mut html, &days);
        table(&mut html, "By model", &summary.models);
        table(&mut html, "By project", &summary.projects);
        let newest: Vec<Group> = summary.days.iter().rev().cloned().collect();
        table(&mut html, "By day", &newest);
    }
    html.push_str(
        "<p class=\"note\">Reload the page to update. Also available as JSON: \
         /stats.json</p></body></html>\n",
    );
    html
}

/// The days up to the last one with a request, also those without.
fn every_day(used: &[Group]) -> Vec<Group> {
    let date = |group: &Group| group.name.parse::<Date>().ok();
    let (Some(first), Some(last)) = (used.first().and_then(date), used.last().and_then(date)) else {
        return used.iter().rev().take(MOST_DAYS).rev().cloned().collect();
    };
    let mut days: Vec<Group> = Vec::new();
    let mut used: HashMap<&str, &Group> = used.iter().map(|group| (group.name.as_str(), group)).collect();
    let mut day = Some(last);
    while let Some(today) = day.filter(|day| *day >= first && days.len() < MOST_DAYS) {
        let name = today.to_string();
        let totals = used.remove(name.as_str()).map(|group| group.totals.clone()).unwrap_or_default();
        days.push(Group { name, totals });
        day = today.yesterday().ok();
    }
    days.reverse();
    days
}

fn cards(html: &mut String, total: &Totals, side: &Totals) {
    let read = total.input_tokens + total.cache_read_tokens + total.cache_write_tokens;
    let cards = [
        ("requests", total.requests.to_string()),
        ("errors", total.errors.to_string()),
        ("sessions", total.sessions.to_string()),
        ("cost", money(total.cost)),
        ("side requests", format!("{}, {}", side.requests, money(side.cost))),
        ("input tokens", short(read)),
        ("output tokens", short(total.output_tokens)),
        ("from cache", format!("{:.1} %", total.cache_rate * 100.0)),
        ("per answer", time(total.average_duration_ms)),
    ];
    html.push_str("<ul class=\"cards\">");
    for (name, value) in cards {
        let _ = write!(html, "<li><b>{}</b><span>{name}</span></li>", escape(&value));
    }
    html.push_str("</ul>");
}

fn plots(html: &mut String, days: &[Group]) {
    let bars = |parts: fn(&Totals) -> Vec<(&'static str, f64)>| -> Vec<Bar> {
        days.iter().map(|day| Bar { label: day.name.clone(), parts: parts(&day.totals) }).collect()
    };
    let count = |value: f64| short(value.round() as u64);
    html.push_str(&over_days("Cost per day", &bars(|totals| vec![("cost", totals.cost)]), money));
    let tokens = bars(|totals| {
        vec![
            ("input", totals.input_tokens as f64),
            ("cached", totals.cache_read_tokens as f64),
            ("written", totals.cache_write_tokens as f64),
            ("output", totals.output_tokens as f64),
        ]
    });
    html.push_str(&over_days("Tokens per day", &tokens, count));
    html.push_str(
        "<p class=\"note\"><span class=\"key input\"></span>input <span class=\"key cached\"></span>cache \
         read <span class=\"key written\"></span>cache write <span class=\"key output\"></span>output</p>",
    );
    let requests = bars(|totals| {
        let failed = totals.errors as f64;
        vec![("fine", totals.requests as f64 - failed), ("failed", failed)]
    });
    html.push_str(&over_days("Requests per day", &requests, count));
    html.push_str(
        "<p class=\"note\"><span class=\"key fine\"></span>answered <span class=\"key failed\"></span>failed</p>",
    );
}

fn table(html: &mut String, title: &str, groups: &[Group]) {
    let _ = write!(
        html,
        "<h2>{title}</h2><table><tr><th></th><th>requests</th><th>errors</th><th>in</th><th>out</th><th>cached</th>\
         <th>rate</th><th>cost</th><th>average</th></tr>"
    );
    for Group { name, totals } in groups.iter().take(MOST_ROWS) {
        let name = if name.is_empty() { "(unknown)" } else { name };
        let _ = write!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1} %</td><td>{}</td>\
             <td>{}</td></tr>",
            escape(name),
            totals.requests,
            totals.errors,
            short(totals.input_tokens),
            short(totals.output_tokens),
            short(totals.cache_read_tokens),
            totals.cache_rate * 100.0,
            money(totals.cost),
            time(totals.average_duration_ms)
        );
    }
    html.push_str("</table>");
    if groups.len() > MOST_ROWS {
        let _ = write!(html, "<p class=\"note\">and {} more</p>", groups.len() - MOST_ROWS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_days_have_their_place() {
        let day = |name: &str, requests| Group {
            name: name.to_owned(),
            totals: Totals { requests, ..Totals::default() },
        };
        let shown = every_day(&[day("2026-02-27", 3), day("2026-03-02", 1)]);
        let shown: Vec<(&str, u64)> =
            shown.iter().map(|day| (day.name.as_str(), day.totals.requests)).collect();
        assert_eq!(shown, [("2026-02-27", 3), ("2026-02-28", 0), ("2026-03-01", 0), ("2026-03-02", 1)]);
        let long = every_day(&[day("2020-01-01", 1), day("2026-03-02", 1)]);
        assert_eq!((long.len(), long[MOST_DAYS - 1].name.as_str()), (MOST_DAYS, "2026-03-02"));
    }
}
