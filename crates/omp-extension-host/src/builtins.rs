//! The modules that extensions can import, and the prelude that the program calls.

use omp_script::BuiltinModule;

/// The names under which the original and its relatives publish one API.
const SCOPES: [&str; 3] = ["@oh-my-pi", "@mariozechner", "@earendil-works"];

macro_rules! internal {
    ($($name:literal => $file:literal,)*) => {
        &[$(($name, include_str!(concat!("../js/", $file)))),*]
    };
}

/// Modules of our own, by their names.
const INTERNAL: &[(&str, &str)] = internal! {
    "omp:api/content" => "api/content.js",
    "omp:api/context" => "api/context.js",
    "omp:api/events" => "api/events.js",
    "omp:api/extension" => "api/extension.js",
    "omp:api/models" => "api/models.js",
    "omp:api/rendering" => "api/rendering.js",
    "omp:api/schema" => "api/schema.js",
    "omp:api/session-manager" => "api/session-manager.js",
    "omp:api/signals" => "api/signals.js",
    "omp:api/ui" => "api/ui.js",
    "omp:api/unit" => "api/unit.js",
    "omp:modules/builtin-tools" => "modules/builtin-tools.js",
    "omp:modules/event-guards" => "modules/event-guards.js",
    "omp:modules/transcript" => "modules/transcript.js",
    "omp:modules/truncate" => "modules/truncate.js",
};

pub(crate) fn prelude() -> BuiltinModule {
    BuiltinModule::new(["omp:api/prelude"], include_str!("../js/api/prelude.js"))
}

pub(crate) fn modules() -> Vec<BuiltinModule> {
    let internal = INTERNAL.iter().map(|(name, source)| BuiltinModule::new([*name], *source));
    internal.chain(packages()).collect()
}

/// A package of the API under its three names, with everything below it.
fn package(own: &str, name: &str, source: &'static str) -> BuiltinModule {
    let names = SCOPES.iter().flat_map(|scope| [format!("{scope}/{name}"), format!("{scope}/{name}/*")]);
    BuiltinModule::new([own.to_owned()].into_iter().chain(names), source)
}

fn packages() -> Vec<BuiltinModule> {
    vec![
        package("omp:modules/coding-agent", "pi-coding-agent", include_str!("../js/modules/coding-agent.js")),
        package("omp:modules/ai", "pi-ai", include_str!("../js/modules/ai.js")),
        package("omp:modules/agent-core", "pi-agent-core", include_str!("../js/modules/agent-core.js")),
        package("omp:modules/utils", "pi-utils", include_str!("../js/modules/utils.js")),
    ]
}
