//! Sessions that others see.

settings! {
    Sharing;
    COLLAB_RELAY_URL: Text("collab.relayUrl", Some("wss://my.omp.sh"), "Relay server for shared sessions.").waits_for("shared sessions");
    COLLAB_DISPLAY_NAME: Text("collab.displayName", None, "Your name in shared sessions; unset uses your system user name.").waits_for("shared sessions");
    SHARE_SERVER_URL: Text("share.serverUrl", Some("https://my.omp.sh/s"), "Server for shared snapshots.");
    SHARE_REDACT_SECRETS: Flag("share.redactSecrets", true, "Redact secrets before sharing a snapshot.");
}
