//! The modules that extensions can import, and the prelude that the program calls.

use std::path::Path;

use omp_script::{BuiltinModule, ScanReport};

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
    "omp:api/serving" => "api/serving.js",
    "omp:api/session-manager" => "api/session-manager.js",
    "omp:api/signals" => "api/signals.js",
    "omp:api/ui" => "api/ui.js",
    "omp:api/unit" => "api/unit.js",
    "omp:lib/schema-check" => "lib/schema-check.js",

    "omp:lib/typebox-type" => "lib/typebox-type.js",

    "omp:modules/builtin-tools" => "modules/builtin-tools.js",
    "omp:modules/event-guards" => "modules/event-guards.js",
    "omp:modules/transcript" => "modules/transcript.js",
    "omp:modules/truncate" => "modules/truncate.js",
    "omp:tui/ansi" => "tui/ansi.js",
    "omp:tui/autocomplete" => "tui/autocomplete.js",
    "omp:tui/box" => "tui/box.js",
    "omp:tui/colors" => "tui/colors.js",
    "omp:tui/component" => "tui/component.js",
    "omp:tui/editor-completion" => "tui/editor-completion.js",
    "omp:tui/editor-history" => "tui/editor-history.js",
    "omp:tui/editor-layout" => "tui/editor-layout.js",
    "omp:tui/editor-pastes" => "tui/editor-pastes.js",
    "omp:tui/editor" => "tui/editor.js",
    "omp:tui/fuzzy" => "tui/fuzzy.js",
    "omp:tui/image" => "tui/image.js",
    "omp:tui/input" => "tui/input.js",
    "omp:tui/key-names" => "tui/key-names.js",
    "omp:tui/keybinding-table" => "tui/keybinding-table.js",
    "omp:tui/keybindings" => "tui/keybindings.js",
    "omp:tui/keys" => "tui/keys.js",
    "omp:tui/loader" => "tui/loader.js",
    "omp:tui/markdown-blocks" => "tui/markdown-blocks.js",
    "omp:tui/markdown-inline" => "tui/markdown-inline.js",
    "omp:tui/markdown-table" => "tui/markdown-table.js",
    "omp:tui/markdown" => "tui/markdown.js",
    "omp:tui/paste" => "tui/paste.js",
    "omp:tui/select-list" => "tui/select-list.js",
    "omp:tui/settings-list" => "tui/settings-list.js",
    "omp:tui/slice" => "tui/slice.js",
    "omp:tui/spacer" => "tui/spacer.js",
    "omp:tui/surfaces" => "tui/surfaces.js",
    "omp:tui/terminal" => "tui/terminal.js",
    "omp:tui/text-buffer" => "tui/text-buffer.js",
    "omp:tui/text" => "tui/text.js",
    "omp:tui/truncated-text" => "tui/truncated-text.js",
    "omp:tui/tui" => "tui/tui.js",
    "omp:tui/width" => "tui/width.js",
    "omp:tui/words" => "tui/words.js",
    "omp:tui/wrap" => "tui/wrap.js",
    "omp:ui/bordered-loader" => "ui/bordered-loader.js",
    "omp:ui/component-themes" => "ui/component-themes.js",
    "omp:ui/custom-editor" => "ui/custom-editor.js",
    "omp:ui/dialogs" => "ui/dialogs.js",
    "omp:ui/diff" => "ui/diff.js",
    "omp:ui/dynamic-border" => "ui/dynamic-border.js",
    "omp:ui/executions" => "ui/executions.js",
    "omp:ui/index" => "ui/index.js",
    "omp:ui/key-hints" => "ui/key-hints.js",
    "omp:ui/languages" => "ui/languages.js",
    "omp:ui/messages" => "ui/messages.js",
    "omp:ui/theme" => "ui/theme.js",
    "omp:ui/visual-lines" => "ui/visual-lines.js",
};

pub(crate) fn prelude() -> BuiltinModule {
    BuiltinModule::new(["omp:api/prelude"], include_str!("../js/api/prelude.js"))
}

pub(crate) fn modules() -> Vec<BuiltinModule> {
    let internal = INTERNAL.iter().map(|(name, source)| BuiltinModule::new([*name], *source));
    internal.chain(packages()).collect()
}

/// Does omp have a package of that name, so that nobody has to install it?
pub fn is_built_in(package: &str) -> bool {
    packages().iter().any(|module| module.answers_to(package))
}

/// What an extension imports, without running it: its files, and what it wants of the program.
pub fn scan(entry: &Path) -> ScanReport {
    scan_cached(entry, None)
}

/// The same with the cache of the engine.
pub(crate) fn scan_cached(entry: &Path, cache: Option<&Path>) -> ScanReport {
    let modules = modules();
    omp_script::scan(entry, &|name| modules.iter().any(|module| module.answers_to(name)), cache)
}

/// A package of the API under its three names, with everything below it.
fn package(own: &str, name: &str, source: &'static str) -> BuiltinModule {
    let names = SCOPES.iter().flat_map(|scope| [format!("{scope}/{name}"), format!("{scope}/{name}/*")]);
    BuiltinModule::new([own.to_owned()].into_iter().chain(names), source)
}

fn packages() -> Vec<BuiltinModule> {
    vec![
        BuiltinModule::new(
            ["omp:lib/typebox", "typebox", "@sinclair/typebox", "@oh-my-pi/omptype/typebox"],
            include_str!("../js/lib/typebox.js"),
        ),
        BuiltinModule::new(
            ["omp:lib/typebox-value", "typebox/value", "@sinclair/typebox/value"],
            include_str!("../js/lib/typebox-value.js"),
        ),
        BuiltinModule::new(
            ["omp:lib/typebox-compile", "typebox/compile", "@sinclair/typebox/compiler"],
            include_str!("../js/lib/typebox-compile.js"),
        ),
        BuiltinModule::new(
            ["omp:lib/zod", "zod", "zod/v4", "@oh-my-pi/omptype/zod"],
            include_str!("../../../third-party/zod/zod.js"),
        ),
        package("omp:modules/coding-agent", "pi-coding-agent", include_str!("../js/modules/coding-agent.js")),
        package("omp:modules/ai", "pi-ai", include_str!("../js/modules/ai.js")),
        package("omp:modules/agent-core", "pi-agent-core", include_str!("../js/modules/agent-core.js")),
        package("omp:tui/index", "pi-tui", include_str!("../js/tui/index.js")),
        package("omp:modules/utils", "pi-utils", include_str!("../js/modules/utils.js")),
    ]
}
