//! What is known of extensions before they run.

use std::collections::BTreeMap;

use omp_script::ScanReport;

use crate::builtins::scan;
use crate::extension::ExtensionSpec;

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

impl SurveyedExtension {
    /// Reads its files.
    pub fn read(spec: ExtensionSpec, refused: Option<String>) -> Self {
        let scan = scan(&spec.path);
        Self { spec, scan, refused, lacking: BTreeMap::new(), failure: None, remarks: Vec::new() }
    }
}

impl ExtensionSurvey {
    pub fn change(&mut self, spec: &ExtensionSpec, change: impl FnOnce(&mut SurveyedExtension)) {
        if let Some(extension) = self.extensions.iter_mut().find(|extension| extension.spec == *spec) {
            change(extension);
        }
    }
}
