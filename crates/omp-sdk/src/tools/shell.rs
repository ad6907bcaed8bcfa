//! What settings and options mean to the bash tool.

use std::sync::Arc;

use omp_config::settings::{Settings, keys, strings};
use omp_tools::{InterceptRule, Interception, Minimizer, PtyView};
use omp_types::TOOL_NAMES;
use serde_json::Value;

use crate::configure::{is_switched_off, whole};
use crate::session::options::{Ptys, SessionOptions, ToolFilter};
use crate::tools::jobs;

/// Tells the bash tool how to run commands and which other tools there are.
pub(crate) fn configure(settings: &Settings, options: &SessionOptions, tools: &mut omp_tools::Settings) {
    tools.bash.embedded_shell = options.embedded_shell.clone();
    tools.jobs = jobs::configure(settings);
    tools.bash.strip_limits = settings.get(keys::BASH_STRIP_TRAILING_HEAD_TAIL);
    if settings.get(keys::BASH_INTERCEPTOR_ENABLED) {
        let rules = settings.get(keys::BASH_INTERCEPTOR_PATTERNS);
        tools.bash.interception = Interception::On(rules.iter().filter_map(rule).collect());
    }
    let list = |key| strings(settings.get(key)).map(str::to_owned).collect();
    tools.bash.minimizer = Minimizer {
        enabled: settings.get(keys::SHELL_MINIMIZER_ENABLED),
        only: list(keys::SHELL_MINIMIZER_ONLY),
        except: list(keys::SHELL_MINIMIZER_EXCEPT),
        max_capture_bytes: whole(settings, keys::SHELL_MINIMIZER_MAX_CAPTURE_BYTES) as usize,
    };
    let wanted = |name: &str| match &options.tools {
        ToolFilter::All => true,
        ToolFilter::None => false,
        ToolFilter::Only(names) => names.iter().any(|wanted| wanted == name),
    };
    let active = TOOL_NAMES.iter().filter(|name| wanted(name) && !is_switched_off(settings, name));
    tools.tools = active.map(|name| (*name).to_owned()).collect();
}

/// Where commands on a terminal are shown, unless somebody forbids them.
pub(crate) fn terminal(options: &SessionOptions) -> Option<Arc<dyn PtyView>> {
    let forbidden =
        options.terminal.ptys == Ptys::Never || options.environment.var("PI_NO_PTY").as_deref() == Some("1");
    options.terminal.view.clone().filter(|_| !forbidden)
}

/// A rule with all its parts. One that is not whole cannot say what to use instead.
fn rule(value: &Value) -> Option<InterceptRule> {
    let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
    Some(InterceptRule {
        pattern: text("pattern")?,
        flags: text("flags").unwrap_or_default(),
        tool: text("tool")?,
        message: text("message")?,
    })
}
