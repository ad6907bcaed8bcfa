//! Installing packages, switching them, their features and their settings.

use std::path::Path;
use std::sync::Arc;

use omp_commands::packages as texts;
use omp_sdk::plugins::packages::{FeatureEdit, InstallSource, InstallTarget, PackageError};
use serde_json::{Value, json};

use super::{PluginContext, Progress, Said};
use crate::output;

const CONFIG_USAGE: &str = "use: omp plugin config list|get|set|delete|validate <plugin> [key] [value]";

impl PluginContext<'_> {
    /// Installs what was typed, one after the other. What is done stays done.
    pub(super) async fn install(&self) -> Result<u8, String> {
        let words = self.words();
        if words.is_empty() {
            return Err("name what to install: a package, a repository or a directory".to_owned());
        }
        let progress = Arc::new(Progress::new(self.is_json()));
        let installer = self.installer(&progress);
        let (mut texts, mut rows, mut failed) = (Vec::new(), Vec::new(), false);
        for word in &words {
            let result = match self.target(word) {
                Ok(target) => self.install_one(&target, &installer).await,
                Err(error) => Err(error),
            };
            progress.clear();
            match result {
                Ok(said) => {
                    failed |= said.failed;
                    texts.push(said.text);
                    rows.push(said.json);
                }
                // One that cannot be installed keeps no other from it.
                Err(error) => {
                    failed = true;
                    rows.push(json!({"target": word, "error": error}));
                    output::fail(&error, &[]);
                }
            }
            if self.cancel.is_cancelled() {
                break;
            }
        }
        if texts.is_empty() && !self.is_json() {
            return Ok(1);
        }
        let json = if rows.len() == 1 { rows.remove(0) } else { Value::Array(rows) };
        Ok(self.say(&Said { text: texts.join("\n"), json, failed }))
    }

    fn target(&self, typed: &str) -> Result<InstallTarget, String> {
        let marketplaces = self.marketplaces();
        let known = |name: &str| marketplaces.knows(name);
        InstallTarget::parse(typed, &self.cwd, &self.directories.home, &known)
            .map_err(|error| error.to_string())
    }

    async fn install_one(
        &self,
        target: &InstallTarget,
        installer: &omp_sdk::plugins::packages::Installer,
    ) -> Result<Said, String> {
        if let InstallSource::Marketplace { plugin, marketplace } = &target.source {
            return self.install_from_marketplace(plugin, marketplace).await;
        }
        let scope = self.call.values.text("scope");
        if scope == Some("project") {
            return Err("packages are installed for the user: leave --scope out (only plugins of marketplaces have it)".to_owned());
        }
        let mode = self.mode();
        let installed =
            self.packages().install(target, installer, mode).await.map_err(|error| error.to_string())?;
        if !self.is_json() {
            installed
                .warnings
                .iter()
                .for_each(|warning| output::warn(&format!("{}: {warning}", installed.name)));
        }
        Ok(Said {
            text: texts::installed(&installed, mode),
            json: texts::installed_row(&installed, mode),
            failed: false,
        })
    }

    /// Installs what a package was installed from again, as far as there is something newer.
    pub(super) async fn upgrade_package(&self, name: &str) -> Result<u8, String> {
        let package = self.packages().find(name).map_err(|error| error.to_string())?;
        if package.is_linked() {
            return Err(format!("{name} is linked: it is always as its directory is"));
        }
        let target = self.target(package.record.source.as_deref().unwrap_or(name))?;
        let progress = Arc::new(Progress::new(self.is_json()));
        let installer = self.installer(&progress);
        let said = self.install_one(&target, &installer).await;
        progress.clear();
        said.map(|said| self.say(&said))
    }

    pub(super) fn link(&self) -> Result<u8, String> {
        let words = self.words();
        let [path] = words.as_slice() else {
            return Err("name one directory: omp plugin link <path>".to_owned());
        };
        let path = self.cwd.join(omp_sdk::expand_home(path, &self.directories.home));
        let mode = self.mode();
        let installed = self.packages().link(Path::new(&path), mode).map_err(|error| error.to_string())?;
        if !self.is_json() {
            installed
                .warnings
                .iter()
                .for_each(|warning| output::warn(&format!("{}: {warning}", installed.name)));
        }
        let text = texts::installed(&installed, mode);
        Ok(self.say(&Said { text, json: texts::installed_row(&installed, mode), failed: false }))
    }

    pub(super) fn uninstall(&self, name: &str) -> Result<Said, PackageError> {
        let dry = self.call.values.has("dry-run");
        let package = self.packages().find(name)?;
        let verb =
            if package.is_linked() { ("Would unlink", "Unlinked") } else { ("Would remove", "Removed") };
        if !dry {
            self.packages().uninstall(name)?;
        }
        let text = format!("{} {name}", if dry { verb.0 } else { verb.1 });
        Ok(Said { text, json: json!({"name": name, "action": "uninstall", "dryRun": dry}), failed: false })
    }

    pub(super) fn switch(&self, name: &str, on: bool) -> Result<Said, PackageError> {
        let dry = self.call.values.has("dry-run");
        let before = self.packages().find(name)?;
        if !dry {
            self.packages().set_enabled(name, on)?;
        }
        let words = if on { ("Would enable", "Enabled") } else { ("Would disable", "Disabled") };
        let mut text = format!("{} {name}", if dry { words.0 } else { words.1 });
        if on && before.disabled_here {
            text.push_str(", but this project disables it");
        }
        Ok(Said { text, json: json!({"name": name, "enabled": on, "dryRun": dry}), failed: false })
    }

    pub(super) fn features(&self) -> Result<u8, String> {
        let words = self.words();
        let [name] = words.as_slice() else {
            return Err(
                "name one plugin: omp plugin features <plugin> [--enable a,b] [--disable a,b] [--set a,b]"
                    .to_owned(),
            );
        };
        let values = &self.call.values;
        let listed = |flag: &str| values.list(flag).unwrap_or_default().to_vec();
        let is_change = values.has("enable") || values.has("disable");
        let edit = match (values.has("set"), is_change) {
            (true, true) => return Err("use either --set or --enable and --disable".to_owned()),
            (true, false) => Some(FeatureEdit::Set(listed("set"))),
            (false, true) => {
                Some(FeatureEdit::Change { enable: listed("enable"), disable: listed("disable") })
            }
            (false, false) => None,
        };
        let packages = self.packages();
        if let Some(edit) = edit {
            packages.set_features(name, &edit).map_err(|error| error.to_string())?;
        }
        let package = packages.find(name).map_err(|error| error.to_string())?;
        Ok(self.say(&Said {
            text: texts::features(&package),
            json: texts::feature_rows(&package),
            failed: false,
        }))
    }

    pub(super) fn config(&self) -> Result<u8, String> {
        let words = self.words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let packages = self.packages();
        let env = |name: &str| self.environment.var(name);
        let said = match words.as_slice() {
            ["list", plugin] => packages.settings(plugin, &env).map(|values| Said {
                text: texts::settings(plugin, &values),
                json: json!({"plugin": plugin, "settings": texts::setting_rows(&values)}),
                failed: false,
            }),
            ["get", plugin, key] => packages.schema(plugin, key).and_then(|_| {
                let values = packages.settings(plugin, &env)?;
                let value = values.into_iter().filter(|value| value.schema.key == *key).collect::<Vec<_>>();
                Ok(Said {
                    text: value.first().map(texts::shown).unwrap_or_default(),
                    json: texts::setting_rows(&value),
                    failed: false,
                })
            }),
            ["set", plugin, key, value @ ..] if !value.is_empty() => {
                let secret = packages.schema(plugin, key).map(|schema| schema.secret);
                let set = packages.set_setting(plugin, key, &value.join(" "));
                set.and_then(|value| secret.map(|secret| (value, secret))).map(|(value, secret)| Said {
                    text: format!("Set {key} of {plugin}"),
                    json: json!({"plugin": plugin, "key": key, "value": if secret { Value::Null } else { value }}),
                    failed: false,
                })
            }
            ["delete", plugin, key] => packages.delete_setting(plugin, key).map(|was_set| Said {
                text: format!(
                    "{key} of {plugin} {}",
                    if was_set { "is no longer set" } else { "was not set" }
                ),
                json: json!({"plugin": plugin, "key": key, "deleted": was_set}),
                failed: false,
            }),
            ["validate"] | ["validate", _] => {
                packages.invalid_settings(words.get(1).copied()).map(|invalid| Said {
                    text: texts::invalid(&invalid),
                    json: texts::invalid_rows(&invalid),
                    failed: !invalid.is_empty(),
                })
            }
            _ => return Err(CONFIG_USAGE.to_owned()),
        };
        said.map(|said| self.say(&said)).map_err(|error| error.to_string())
    }
}
