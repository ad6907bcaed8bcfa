//! Services beside the model providers.

settings! {
    Services;
    EXA_ENABLED: Flag("exa.enabled", true, "Enable Exa.").waits_for("web search");
    EXA_ENABLE_SEARCH: Flag("exa.enableSearch", true, "Enable Exa search.").waits_for("web search");
    EXA_ENABLE_RESEARCHER: Flag("exa.enableResearcher", false, "Enable Exa researcher.").waits_for("web search");
    EXA_ENABLE_WEBSETS: Flag("exa.enableWebsets", false, "Enable Exa websets.").waits_for("web search");
    SEARXNG_ENDPOINT: Text("searxng.endpoint", None, "URL of the SearXNG server.").waits_for("web search");
    SEARXNG_TOKEN: Text("searxng.token", None, "Token for the SearXNG server.").secret().waits_for("web search");
    SEARXNG_BASIC_USERNAME: Text("searxng.basicUsername", None, "User name for the SearXNG server.").waits_for("web search");
    SEARXNG_BASIC_PASSWORD: Text("searxng.basicPassword", None, "Password for the SearXNG server.").secret().waits_for("web search");
    SEARXNG_CATEGORIES: Text("searxng.categories", None, "Categories to search in.").waits_for("web search");
    SEARXNG_LANGUAGE: Text("searxng.language", None, "Language to search in.").waits_for("web search");
    AUTH_BROKER_URL: Text("auth.broker.url", None, "URL of the auth broker.")
        .variables(&[Variable { name: "OMP_AUTH_BROKER_URL", path: "auth.broker.url" }]).waits_for("the auth broker");
    AUTH_BROKER_TOKEN: Text("auth.broker.token", None, "Token for the auth broker.")
        .variables(&[Variable { name: "OMP_AUTH_BROKER_TOKEN", path: "auth.broker.token" }]).secret().waits_for("the auth broker");
}
