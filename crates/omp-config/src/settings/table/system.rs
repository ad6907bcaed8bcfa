//! Start-up and set-up.

settings! {
    System;
    // Default: ours.
    STARTUP_QUIET: Flag("startup.quiet", false, "Show only notices at start.");
    STARTUP_SETUP_WIZARD: Flag("startup.setupWizard", true, "Run the setup wizard if omp is not set up.");
    // It never has an effect: omp does not look for updates.
    STARTUP_CHECK_UPDATE: Flag("startup.checkUpdate", false, "Has no effect: omp does not check for updates.").waits_for("an updater");
    COLLAPSE_CHANGELOG: Flag("collapseChangelog", false, "Show a short changelog after an upgrade.");
    SETUP_VERSION: Number("setupVersion", 0.0, "Version of the completed setup.");
}
