//! Talking and listening.

settings! {
    Speech;
    // Defaults: ours; the documents name only the group `tts`.
    STT_ENABLED: Flag("stt.enabled", false, "Dictate by holding Space.").waits_for("speech");
    TTS_ENABLED: Flag("tts.enabled", false, "Read answers aloud.").waits_for("speech");
}
