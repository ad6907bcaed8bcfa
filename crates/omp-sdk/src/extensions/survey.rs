//! Which extensions there are and what each of them needs, without a session: `omp extensions`.

use omp_extension_host::{ExtensionSpec, ExtensionSurvey, OfferedModules, SurveyedExtension, find_host};
use omp_shell::{Environment as ChildEnvironment, Scope, SecretNames};

use crate::extensions::found::Found;
use crate::extensions::{ExtensionChoice, ExtensionSurroundings};
use crate::guard::trust::ProjectTrust;

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
                survey.change(&failure.spec, |extension| extension.failure = Some(failure.reason.clone()));
            }
            for extension in set.list() {
                let remarks: Vec<String> =
                    extension.problems().into_iter().map(|problem| problem.message).collect();
                survey.change(&extension.spec, |surveyed| surveyed.remarks.clone_from(&remarks));
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
            all.into_iter().map(|(spec, refused)| SurveyedExtension::read(spec, refused)).collect()
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
