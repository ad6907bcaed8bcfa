//! Start-up and set-up.

settings! {
    System;
    // Default: ours.
    STARTUP_QUIET: Flag("startup.quiet", false, "Show nothing but notices at start.");
    STARTUP_SETUP_WIZARD: Flag("startup.setupWizard", true, "Run the wizard when omp is not set up.");
    // It never has an effect: omp does not look for updates.
    STARTUP_CHECK_UPDATE: Flag("startup.checkUpdate", false, "Has no effect: omp does not look for updates.").waits_for("an updater");
    COLLAPSE_CHANGELOG: Flag("collapseChangelog", false, "Shorten what is new after an upgrade.");
    SETUP_VERSION: Number("setupVersion", 0.0, "Which version of the set-up was finished.");
}
