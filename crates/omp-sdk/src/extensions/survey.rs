//! Which extensions there are and what each of them needs, without a session: `omp extensions`.

use std::collections::BTreeMap;

use omp_extension_host::{ExtensionSpec, OfferedModules, ScanReport, find_host, scan};
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};

use crate::extensions::found::Found;
use crate::extensions::{ExtensionChoice, ExtensionSurroundings};
use crate::guard::trust::ProjectTrust;

/// What is known of one extension.
#[derive(Clone, Debug)]
pub struct SurveyedExtension {
    /// What it is.
    pub spec: ExtensionSpec,
    /// Its files and what they import.
    pub scan: ScanReport,
    /// Why it is not loaded, where somebody has to agree to it first.
    pub refused: Option<String>,
    /// Names that it imports and omp does not have, by module; a module without names is missing as a whole.
    pub lacking: BTreeMap<String, Vec<String>>,
    /// Why it could not be loaded.
    pub failure: Option<String>,
    /// What else went wrong while it was loaded.
    pub remarks: Vec<String>,
}

/// All of them, and what was found where none is.
#[derive(Clone, Debug, Default)]
pub struct ExtensionSurvey {
    /// In the order in which they are loaded; those that are refused last.
    pub extensions: Vec<SurveyedExtension>,
    /// About files and directories that are no extension.
    pub warnings: Vec<String>,
    /// The program for extensions that cannot run inside, or why there is none; nothing where none is needed.
    pub process: Option<Result<String, String>>,
}

impl ExtensionSurroundings<'_> {
    /// Finds extensions and reads what they import. Runs nothing of them.
    pub async fn survey(&self, choice: &ExtensionChoice) -> ExtensionSurvey {
        self.surveyed(self.find(choice, self.trust()).await).await
    }

    /// The same, then loads those that may be loaded, to see which of them fail.
    pub async fn examine(&self, choice: &ExtensionChoice) -> Result<ExtensionSurvey, String> {
        let mut survey = self.survey(choice).await;
        let modules = OfferedModules::open().await?;
        for extension in &mut survey.extensions {
            extension.lacking = modules.lacking(&extension.scan).await?;
        }
        modules.close().await;
        let loaded = self.load(choice).await;
        if let Some(set) = loaded.set() {
            for failure in set.failures() {
                survey.with(&failure.spec, |extension| extension.failure = Some(failure.reason.clone()));
            }
            for extension in set.list() {
                let remarks: Vec<String> =
                    extension.problems().into_iter().map(|problem| problem.message).collect();
                survey.with(&extension.spec, |surveyed| surveyed.remarks.clone_from(&remarks));
            }
        }
        loaded.end().await;
        Ok(survey)
    }

    pub(super) fn trust(&self) -> ProjectTrust {
        ProjectTrust::at(self.directories, self.cwd, self.settings, self.environment.var("PATH"))
    }

    async fn surveyed(&self, found: Found) -> ExtensionSurvey {
        let Found { specs, refused, warnings, .. } = found;
        let free = specs.into_iter().map(|spec| (spec, None));
        let held = refused.into_iter().map(|refused| (refused.spec, Some(refused.reason)));
        let all: Vec<(ExtensionSpec, Option<String>)> = free.chain(held).collect();
        let read = tokio::task::spawn_blocking(move || {
            let one = |(spec, refused): (ExtensionSpec, Option<String>)| SurveyedExtension {
                scan: scan(&spec.path),
                spec,
                refused,
                lacking: BTreeMap::new(),
                failure: None,
                remarks: Vec::new(),
            };
            all.into_iter().map(one).collect()
        });
        let extensions: Vec<SurveyedExtension> = read.await.unwrap_or_default();
        let needs_process = extensions.iter().any(|extension| extension.scan.needs_host.is_some());
        let process = if needs_process { Some(process().await) } else { None };
        ExtensionSurvey { extensions, warnings, process }
    }
}

async fn process() -> Result<String, String> {
    let environment = ChildEnvironment::inherited().without(&SecretNames::default());
    find_host(&Scope::new(), &environment).await.map(|program| program.to_string())
}

impl ExtensionSurvey {
    fn with(&mut self, spec: &ExtensionSpec, change: impl FnOnce(&mut SurveyedExtension)) {
        if let Some(extension) = self.extensions.iter_mut().find(|extension| extension.spec == *spec) {
            change(extension);
        }
    }
}
