//! Every dialect, read and written, at every way to cut a stream.

mod anthropic;
mod deepseek;
mod gemini;
mod gemma;
mod glm;
mod harmony;
mod kimi;
mod prompt;
mod property;
mod support;
