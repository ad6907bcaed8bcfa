//! How long it takes until a model is chosen, and what the registry weighs. Run with `bench/registry`.
#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use omp_llm::registry::{Lookup, Registry, Wanted};

/// One key, so that there is something to choose.
struct OneKey;

impl Lookup for OneKey {
    fn env(&self, name: &str) -> Option<String> {
        (name == "ANTHROPIC_API_KEY").then(|| "k".to_owned())
    }

    fn command(&self, _: &str) -> Option<String> {
        None
    }
}

fn main() {
    let first = Instant::now();
    let registry = Registry::new(None);
    let ready = first.elapsed();
    let before = resident();
    let chosen = Instant::now();
    choose(&registry, "anthropic/claude-sonnet-5");
    println!("first registry of the process       {:>9.1} us", micros(ready));
    println!("first choice of provider/id         {:>9.1} us", micros(chosen.elapsed()));
    let started = Instant::now();
    choose(&registry, "claude-opus-5");
    println!("first choice of a bare id (index)   {:>9.1} us", micros(started.elapsed()));
    let started = Instant::now();
    let models = black_box(registry.list(&OneKey)).len();
    println!("making all {models} models              {:>9.1} us", micros(started.elapsed()));
    println!("memory of registry, index, models   {:>9.1} MB", (resident() - before).max(0.0));

    println!(
        "another registry                    {:>9.1} us",
        median(|| drop(black_box(Registry::new(None))))
    );
    let fresh = |pattern: &'static str| move || choose(&Registry::new(None), pattern);
    println!(
        "new registry, provider/id           {:>9.1} us",
        median(fresh("anthropic/claude-sonnet-5:high"))
    );
    println!("new registry, bare id               {:>9.1} us", median(fresh("claude-opus-5")));
    println!("new registry, part of an id         {:>9.1} us", median(fresh("opus")));

    let large = Registry::new(Some(&five_thousand()));
    for pattern in ["big/vendor/model-4321-large", "vendor/model-4321-large", "model-4321-l", "opus"] {
        choose(&large, pattern);
        println!("among 5,000: {pattern:<27} {:>5.1} us", median(|| choose(&large, pattern)));
    }
}

fn choose(registry: &Registry, pattern: &str) {
    let wanted = Wanted { pattern: Some(pattern), ..Wanted::default() };
    assert!(black_box(registry.select(wanted, &OneKey)).is_ok(), "{pattern}");
}

fn five_thousand() -> String {
    let mut yaml = String::from(
        "providers:\n  big:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    models:\n",
    );
    for number in 0..5000 {
        yaml.push_str(&format!("      - {{id: vendor/model-{number}-large}}\n"));
    }
    yaml
}

fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..101 {
        let started = Instant::now();
        work();
        times.push(started.elapsed());
    }
    times.sort();
    micros(times[50])
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Resident memory in MB; zero where the system does not say.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|text| text.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1000.0
}
