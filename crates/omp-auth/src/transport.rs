//! Which transport is used where a provider has several.

use std::time::Duration;

use omp_config::settings::{Settings, keys};
use omp_llm::{SocketMode, SocketOptions, StreamLimits};

use crate::environment::Environment;

/// WebSockets to ChatGPT accounts: the setting, and variables over it.
pub fn socket_options(settings: &Settings, environment: &dyn Environment) -> SocketOptions {
    let set = |name: &str| environment.var(name).filter(|value| !value.trim().is_empty());
    let number = |name: &str| set(name).and_then(|text| text.trim().parse::<u64>().ok());
    let usual = SocketOptions::default();
    let chosen =
        SocketMode::parse(settings.get(keys::PROVIDERS_OPENAI_WEBSOCKETS)).unwrap_or(SocketMode::Auto);
    let mode = match set("PI_CODEX_WEBSOCKET").as_deref().map(str::trim) {
        Some("1" | "true") => SocketMode::On,
        Some("0" | "false") => SocketMode::Off,
        _ => chosen,
    };
    let ms =
        |name: &str, usual: Duration| number(name).filter(|ms| *ms > 0).map_or(usual, Duration::from_millis);
    SocketOptions {
        mode,
        idle_timeout: ms("PI_CODEX_WEBSOCKET_IDLE_TIMEOUT_MS", usual.idle_timeout),
        retry_budget: number("PI_CODEX_WEBSOCKET_RETRY_BUDGET")
            .map_or(usual.retry_budget, |budget| u32::try_from(budget).unwrap_or(u32::MAX)),
        retry_delay: ms("PI_CODEX_WEBSOCKET_RETRY_DELAY_MS", usual.retry_delay),
    }
}

/// How long OpenAI's wires may be silent, where that is said apart from the others.
pub(crate) fn openai_limits(environment: &dyn Environment) -> StreamLimits {
    let ms = |name: &str| environment.var(name).and_then(|text| text.trim().parse().ok());
    StreamLimits {
        idle: ms("PI_OPENAI_STREAM_IDLE_TIMEOUT_MS").map(Duration::from_millis),
        first_event: ms("PI_OPENAI_STREAM_FIRST_EVENT_TIMEOUT_MS").map(Duration::from_millis),
    }
}
