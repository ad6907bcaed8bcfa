// Models as extensions see them: plain objects with `provider` and `id`.

export function makeModels(now) {
  return {
    list: () => now("models.list") ?? [],
    current: () => now("session.model") ?? undefined,
    resolve: (spec) => now("models.resolve", { spec: String(spec) }) ?? undefined,
    family: (model) => now("models.family", { provider: model?.provider, id: model?.id }) ?? "",
  };
}

export function makeModelRegistry(now, later) {
  const find = (provider, id) => now("models.find", { provider, id }) ?? undefined;
  const named = (model) => ({ provider: model?.provider, id: model?.id });
  const auth = async (model) => (await later("models.auth", named(model))) ?? {};
  return {
    getAll: () => now("models.all") ?? [],
    getAvailable: () => now("models.list") ?? [],
    find,
    findOfType: (type, provider, id) => (type === "language" || type === undefined ? find(provider, id) : undefined),
    hasConfiguredAuth: (model) => now("models.isUsable", named(model)) === true,
    isUsingOAuth: (model) => now("models.usesOAuth", named(model)) === true,
    getApiKey: async (model) => (await auth(model)).apiKey ?? undefined,
    getApiKeyForProvider: async (provider) => (await auth({ provider })).apiKey ?? undefined,
    getApiKeyAndHeaders: async (model) => {
      const found = await auth(model);
      return found.apiKey == null
        ? { ok: false, error: `no API key for ${model?.provider}` }
        : { ok: true, apiKey: found.apiKey, headers: found.headers ?? {} };
    },
    getProviderDisplayName: (provider) => now("models.providerName", { provider }) ?? provider,
    complete: (model, context, options) => complete(later, model, context, options),
    refresh: async () => {},
  };
}

/** One answer of a model, beside the conversation. */
export async function complete(later, model, context, options = {}) {
  const { signal, ...values } = options;
  const { systemPrompt, messages, tools } = context ?? {};
  const id = nextCall();
  const stop = () => void later("models.abort", { id }).catch(() => {});
  if (signal?.aborted) throw signal.reason ?? new Error("This operation was aborted");
  signal?.addEventListener?.("abort", stop, { once: true });
  try {
    const tools_ = tools?.map(({ name, description, parameters }) => ({ name, description, parameters }));
    const request = { model: { provider: model?.provider, id: model?.id }, systemPrompt, messages, tools: tools_ };
    return await later("models.complete", { id, ...request, options: plain(values) });
  } finally {
    signal?.removeEventListener?.("abort", stop);
  }
}

let calls = 0;
const nextCall = () => `complete-${++calls}`;

/** Options that a request can carry. */
function plain({ maxTokens, temperature, reasoning, thinkingLevel, apiKey, headers }) {
  return { maxTokens, temperature, reasoning: reasoning ?? thinkingLevel, apiKey, headers };
}
