//! Which hooks there are: those that settings files of Claude Code and of omp describe, and executable files in
//! `hooks/pre` and `hooks/post`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_config::discovery::{Discovery, Finding, HookFile, HookPhase, HookSettings, Level};
use omp_hooks::definition::Dialect;
use omp_hooks::{CommandHook, HookProgram, HookSource, Parsed, Phase, parse, script};

/// Files that are modules for a script engine, not programs.
const MODULES: [&str; 6] = ["ts", "js", "mts", "mjs", "cts", "cjs"];

/// Is the file a module for a script engine, and no program?
pub fn is_module(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    MODULES.contains(&extension.as_ref())
}

/// All hooks, in order of precedence, and what is wrong with others.
pub fn hooks(discovery: &Discovery) -> Parsed {
    let mut all = Parsed::default();
    let (files, scripts) = (discovery.hook_settings(), discovery.hooks());
    all.warnings.extend(files.warnings.iter().chain(&scripts.warnings).cloned());
    for finding in files.active() {
        let Parsed { hooks, warnings } = described(finding);
        all.hooks.extend(hooks);
        all.warnings.extend(warnings);
    }
    // Modules are extensions, and loaded as such.
    for finding in scripts.active().filter(|finding| !is_module(&finding.item.path)) {
        match executable(finding) {
            Ok(hook) => all.hooks.push(hook),
            Err(problem) => all.warnings.push(problem),
        }
    }
    all
}

fn described(finding: &Finding<HookSettings>) -> Parsed {
    let HookSettings { path, plugin, hooks } = &finding.item;
    let source = HookSource {
        file: path.clone(),
        // A plugin is installed by the user, also if it is for one project.
        of_project: finding.origin.level == Level::Project && plugin.is_none(),
        plugin: plugin.clone(),
        dialect: Dialect::Claude,
    };
    parse(hooks, &Arc::new(source))
}

fn executable(finding: &Finding<HookFile>) -> Result<CommandHook, String> {
    let HookFile { phase, tool, path, .. } = &finding.item;
    if !path.metadata().is_ok_and(|file| file.permissions().mode() & 0o111 != 0) {
        return Err(format!("the hook {0} does not run: make it executable (chmod +x {0})", path.display()));
    }
    let source = HookSource {
        file: path.clone(),
        of_project: finding.origin.level == Level::Project && finding.origin.provider != "claude-plugins",
        plugin: None,
        dialect: Dialect::Omp,
    };
    let phase = match phase {
        HookPhase::Pre => Phase::Before,
        HookPhase::Post => Phase::After,
    };
    Ok(script(phase, tool, path.clone(), Arc::new(source)))
}

/// The files of the project that a hook runs, as far as its command names them.
pub fn files_of(hook: &CommandHook, cwd: &Path) -> Vec<PathBuf> {
    match &hook.program {
        HookProgram::Script(path) => vec![path.clone()],
        HookProgram::Command(command) => files(&words(command, cwd), cwd),
    }
}

/// Does a hook of the user run files of the project by their paths? A bare name is a program in `PATH`, whatever the project
/// calls its files.
pub fn runs_project_files(hook: &CommandHook, cwd: &Path) -> bool {
    // Whoever works in his home directory runs his own files.
    let at_home = hook.source.file.parent().is_some_and(|place| place.starts_with(cwd));
    match &hook.program {
        HookProgram::Command(command) if !at_home => {
            let paths: Vec<String> =
                words(command, cwd).into_iter().filter(|word| word.contains('/')).collect();
            !files(&paths, cwd).is_empty()
        }
        HookProgram::Command(_) | HookProgram::Script(_) => false,
    }
}

/// The words of a command line, as far as they can be told apart without a shell.
fn words(command: &str, cwd: &Path) -> Vec<String> {
    let place = cwd.to_string_lossy();
    let mut line = command.replace(['"', '\''], "");
    for variable in ["CLAUDE_PROJECT_DIR", "OMP_PROJECT_DIR"] {
        line = line.replace(&format!("${{{variable}}}"), &place).replace(&format!("${variable}"), &place);
    }
    let between = |c: char| c.is_whitespace() || ";|&()<>`=".contains(c);
    line.split(between).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The files of the project among words.
fn files(words: &[String], cwd: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = words.iter().map(|word| cwd.join(word)).collect();
    files.retain(|file| file.starts_with(cwd) && file.is_file());
    files.sort();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_files_that_it_runs() {
        let project = tempfile::tempdir().unwrap();
        let cwd = project.path();
        std::fs::create_dir(cwd.join(".claude")).unwrap();
        for name in [".claude/guard.py", "check.sh", "other.sh"] {
            std::fs::write(cwd.join(name), "").unwrap();
        }
        let source = HookSource {
            file: cwd.join(".claude/settings.json"),
            of_project: true,
            plugin: None,
            dialect: Dialect::Claude,
        };
        let source = Arc::new(source);
        let files = |command: &str| {
            let hooks = serde_json::json!({"Stop": [{"hooks": [{"command": command}]}]});
            files_of(&parse(&hooks, &source).hooks[0], cwd)
        };
        assert_eq!(
            files("python3 \"$CLAUDE_PROJECT_DIR\"/.claude/guard.py --strict"),
            [cwd.join(".claude/guard.py")]
        );
        assert_eq!(files("sh ./check.sh && echo ok"), [cwd.join("./check.sh")]);
        assert_eq!(files("make lint"), [] as [PathBuf; 0]);
    }
}
