//! Sessions that others see.

settings! {
    Sharing;
    COLLAB_RELAY_URL: Text("collab.relayUrl", Some("wss://my.omp.sh"), "Relay for sessions with several people.").waits_for("shared sessions");
    COLLAB_DISPLAY_NAME: Text("collab.displayName", None, "Your name there; unset takes the user name of this machine.").waits_for("shared sessions");
    SHARE_SERVER_URL: Text("share.serverUrl", Some("https://my.omp.sh/s"), "Server for shared snapshots.");
    SHARE_REDACT_SECRETS: Flag("share.redactSecrets", true, "Replace secrets before a snapshot is shared.");
}
