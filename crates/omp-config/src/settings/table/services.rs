//! Services beside the model providers.

settings! {
    Services;
    EXA_ENABLED: Flag("exa.enabled", true, "Use Exa.").waits_for("web search");
    EXA_ENABLE_SEARCH: Flag("exa.enableSearch", true, "Use its search.").waits_for("web search");
    EXA_ENABLE_RESEARCHER: Flag("exa.enableResearcher", false, "Use its researcher.").waits_for("web search");
    EXA_ENABLE_WEBSETS: Flag("exa.enableWebsets", false, "Use its websets.").waits_for("web search");
    SEARXNG_ENDPOINT: Text("searxng.endpoint", None, "Address of a SearXNG server.").waits_for("web search");
    SEARXNG_TOKEN: Text("searxng.token", None, "Token for it.").secret().waits_for("web search");
    SEARXNG_BASIC_USERNAME: Text("searxng.basicUsername", None, "User name for it.").waits_for("web search");
    SEARXNG_BASIC_PASSWORD: Text("searxng.basicPassword", None, "Password for it.").secret().waits_for("web search");
    SEARXNG_CATEGORIES: Text("searxng.categories", None, "Categories to search in.").waits_for("web search");
    SEARXNG_LANGUAGE: Text("searxng.language", None, "Language to search in.").waits_for("web search");
    AUTH_BROKER_URL: Text("auth.broker.url", None, "Address of the auth broker.")
        .variables(&[Variable { name: "OMP_AUTH_BROKER_URL", path: "auth.broker.url" }]).waits_for("the auth broker");
    AUTH_BROKER_TOKEN: Text("auth.broker.token", None, "Token for it.")
        .variables(&[Variable { name: "OMP_AUTH_BROKER_TOKEN", path: "auth.broker.token" }]).secret().waits_for("the auth broker");
}
