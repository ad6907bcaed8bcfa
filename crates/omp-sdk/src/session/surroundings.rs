//! What a session finds where it works: knowledge, tools, and the prompt that tells of both.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use omp_agent::Tool;
use omp_config::discovery::{Discovery, SurveyLimits, survey};
use omp_config::settings::keys;
use omp_llm::Client;
use omp_mcp_session::{McpScheme, SessionMcp};
use omp_resources::{ArtifactSpills, Obsidian, SessionFolder, SkillsAndRules, github, resources};
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};
use omp_tools::{Scans, Scheme};
use omp_types::{TOOL_NAMES, ToolNeeds, ToolOffer, builtin_tool};

use crate::configure;
use crate::environment::{apply_shell_switches, scan_limits};
use crate::guard::file_borders;
use crate::guard::sandbox;
use crate::mcp;
use crate::modes;
use crate::prompt::knowledge::{self, CurrentKnowledge, Knowledge};
use crate::prompt::{self, Ingredients, Personality, Section, SessionFacts, Size, SystemPrompt};
use crate::session::builder::{ChosenModel, SessionBuilder};
use crate::session::options::ToolFilter;
use crate::tools::file_history;
use crate::tools::language_servers;
use crate::tools::shell;
use crate::tools::ssh_hosts;
use crate::tools::toolbox::{self, SearchableTools, Toolbox};
use crate::tools::web;

/// What the session finds where it works.
pub(crate) struct Surroundings {
    pub(crate) discovery: Discovery,
    pub(crate) knowledge: Arc<CurrentKnowledge>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// Tools that the model has to search for.
    pub(crate) searchable: Arc<SearchableTools>,
    /// What the tools share.
    pub(crate) context: Arc<omp_tools::Context>,
    pub(crate) prompt: SystemPrompt,
    pub(crate) mcp: Arc<SessionMcp>,
}

impl SessionBuilder {
    pub(crate) fn look_around(&mut self, chosen: &ChosenModel, folder: &SessionFolder) -> Surroundings {
        let discovery = knowledge::discovery(&self.options.directories, &self.options.cwd, &self.settings);
        let known =
            Arc::new(CurrentKnowledge::new(Knowledge::load(&discovery, &self.settings, &self.options)));
        let knowledge = known.get();
        self.warnings.extend_from_slice(&knowledge.warnings);
        let scope = Arc::new(Scope::new());
        let secrets = SecretNames::default().and(chosen.registry.key_variables());
        let environment = ChildEnvironment::inherited().without(&secrets);
        self.ssh = ssh_hosts::of_session(&discovery, &self.options, &scope, &environment, &mut self.warnings);
        let mcp = mcp::of_session(self, &discovery, &scope, &environment, &chosen.client);
        let (mut tools, context) =
            self.build_tools(&known, &scope, &secrets, folder, &chosen.client, Some(&mcp));
        toolbox::add(&mut tools, std::mem::take(&mut self.options.own_tools), &mut self.warnings);
        tools.extend(mcp.tools(&mut self.warnings));
        self.extensions.add_tools(&mut tools, &mut self.warnings);
        if let Some(deck) = &self.options.deck {
            tools = deck.tools(tools);
        }
        let Toolbox { offered: tools, searchable } =
            Toolbox::arrange(&self.settings, &self.options.tools, tools);
        let repository = discovery.places().repository.as_deref();
        let prompt = self.system_prompt(&knowledge, repository, &tools, &chosen.model, &mcp);
        Surroundings { discovery, knowledge: known, scope, tools, searchable, context, prompt, mcp }
    }

    pub(crate) fn system_prompt(
        &self,
        knowledge: &Knowledge,
        repository: Option<&Path>,
        tools: &[Arc<dyn Tool>],
        model: &omp_llm::Model,
        mcp: &SessionMcp,
    ) -> SystemPrompt {
        let (options, settings) = (&self.options, &self.settings);
        if options.prompt.silence {
            return SystemPrompt::default();
        }
        let custom = options.prompt.system.as_deref().or(knowledge.system.as_deref());
        let append = options.prompt.append.as_deref().or(knowledge.append.as_deref());
        let names: Vec<&str> = tools.iter().map(|tool| tool.definition().name.as_str()).collect();
        let own: Vec<&str> = custom.into_iter().chain(append).collect();
        let selector = settings.get(keys::INCLUDE_MODEL_IN_PROMPT).then(|| model.selector());
        let survey = survey(&options.cwd, repository, &SurveyLimits::default());
        let size = Size::for_window(model.context_window);
        let today = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
        let context = knowledge.context.iter().map(|file| (file.path.as_path(), file.content.as_str()));
        SystemPrompt::build(Ingredients {
            custom,
            append,
            size,
            personality: Personality::from_word(settings.get(keys::PERSONALITY)),
            tools: &names,
            knowledge: {
                let mut sections = knowledge.sections(&own, names.contains(&"read"));
                let notes = mcp.prompt_section(tools).map(|text| Section::new("MCP servers", text));
                sections.extend(notes);
                sections
            },
            place: SessionFacts {
                cwd: &options.cwd,
                roots: &options.roots,
                today: &today,
                model: selector.as_deref(),
                context: context.collect(),
                subdirectories: &survey.agents_files,
                tree: prompt::tree(&survey, size.tree),
            },
        })
    }

    pub(crate) fn build_tools(
        &mut self,
        knowledge: &Arc<CurrentKnowledge>,
        scope: &Arc<Scope>,
        secrets: &SecretNames,
        folder: &SessionFolder,
        client: &Client,
        mcp: Option<&Arc<SessionMcp>>,
    ) -> (Vec<Arc<dyn Tool>>, Arc<omp_tools::Context>) {
        let environment = ChildEnvironment::inherited().without(secrets);
        let (cwd, home) = (self.options.cwd.clone(), self.options.directories.home.clone());
        let mut context = omp_tools::Context::new(cwd, Some(home.clone()), Arc::clone(scope), environment);
        context.borders = file_borders::of_session(&self.options);
        context.settings = configure::tools(&self.settings, &home);
        context.todos = Arc::clone(&self.todos);
        context.jobs = self.jobs.clone();
        context.commands.terminal = shell::terminal(&self.options);
        context.settings.tool_reports = Some(crate::tool_reports(&self.options.directories));
        context.settings.edit.mode = self.edit_mode;
        context.settings.wording = self.wording;
        context.settings.edit.active = match &self.options.tools {
            ToolFilter::All => true,
            ToolFilter::None => false,
            ToolFilter::Only(names) => names.iter().any(|name| name == "edit"),
        };
        shell::configure(&self.settings, &self.options, &mut context.settings);
        apply_shell_switches(self.options.environment.as_ref(), secrets, &mut context.settings);
        context.scans =
            Arc::new(Scans::new(scan_limits(self.options.environment.as_ref()), Box::new(Instant::now)));
        context.spills = Arc::new(ArtifactSpills(Arc::clone(&folder.artifacts)));
        let github = github(
            &self.settings,
            &self.options.directories,
            self.options.environment.as_ref(),
            &self.options.cwd,
            scope,
            &context.commands.environment,
        );
        let obsidian = self.settings.get(keys::VAULT_ENABLED).then(|| {
            let (environment, cwd) = (context.commands.environment.clone(), context.cwd.clone());
            Arc::new(Obsidian { scope: Arc::clone(scope), environment, cwd })
        });
        context.resources = resources(
            &(Arc::clone(knowledge) as Arc<dyn SkillsAndRules>),
            folder,
            &github,
            obsidian,
            mcp.map(|mcp| Arc::new(McpScheme(Arc::clone(mcp))) as Arc<dyn Scheme>).into_iter().collect(),
        );
        context.web = web::pages(&self.settings, client);
        context.ssh = self.ssh.clone();
        context.modes = modes::for_tools(&self.options, &self.settings);
        let memory = self.options.directories.state().join("sandbox-rung");
        context.commands.sandbox =
            Arc::new(omp_tools::Sandbox::new(sandbox::settings(&self.settings), Some(memory)));
        let shared = Arc::clone(&context.modes);
        context.lsp = language_servers::of_session(self, scope, &context.commands.environment, shared);
        let trust = self.trust();
        context.is_trusted = Arc::new(move || trust.code().is_ok());
        context.history = file_history::of_session(self, folder, &context);
        let context = Arc::new(context);
        let mut all = omp_tools::builtin(&context);
        all.retain(|tool| modes::is_offered(&self.options, &self.settings, &tool.definition().name));
        let tools = match &self.options.tools {
            ToolFilter::All => all,
            ToolFilter::None => Vec::new(),
            ToolFilter::Only(names) => {
                self.warnings.extend(names.iter().filter_map(|name| missing_tool(name, &all)));
                let wanted = |name: &str| {
                    let chosen = companion_of(name).unwrap_or(name);
                    names.iter().any(|name| name == chosen)
                };
                all.into_iter().filter(|tool| wanted(&tool.definition().name)).collect()
            }
        };
        (tools, context)
    }
}

/// The tool that a hidden one comes with: nobody chooses `resolve`, but edits that are shown first need it.
fn companion_of(name: &str) -> Option<&'static str> {
    match builtin_tool(name)?.offer {
        ToolOffer::With(other) => Some(other),
        ToolOffer::Named | ToolOffer::ByMode => None,
    }
}

/// Why a tool that was asked for is not there.
pub(crate) fn missing_tool(name: &str, all: &[Arc<dyn Tool>]) -> Option<String> {
    let chosen = companion_of(name).is_none();
    if chosen && all.iter().any(|tool| tool.definition().name == name) {
        return None;
    }
    let Some(tool) = builtin_tool(name).filter(|tool| tool.offer == ToolOffer::Named) else {
        let known = TOOL_NAMES.join(", ");
        return Some(format!("--tools: unknown tool \"{name}\"; known tools: {known}"));
    };
    Some(match (tool.needs, tool.switch) {
        (ToolNeeds::Host, _) => {
            format!("--tools: {name} needs a host; add one with `omp ssh add <name> --host <address>`")
        }
        (ToolNeeds::Answerer, _) => {
            format!("--tools: {name} needs an interactive session")
        }
        (_, Some(switch)) => format!("--tools: {name} is disabled in the settings ({switch})"),
        (_, None) => format!("--tools: {name} is not available in this session"),
    })
}
