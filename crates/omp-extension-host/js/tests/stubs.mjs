// Names that these modules do not have: loading works, and the use is noted.

let used = new Set();

export function takeStubs() {
  const taken = [...used].sort();
  used = new Set();
  return taken;
}

const VALUES = {
  getAgentDir: () => "/nowhere",
  defineTool: (tool) => tool,
  StringEnum: (values, options) => ({ type: "string", enum: values, ...options }),
  VERSION: "1.0.0", CONFIG_DIR_NAME: ".omp", DEFAULT_MAX_LINES: 2000, DEFAULT_MAX_BYTES: 50_000 };

function stub(name) {
  const make = function () {
    used.add(name);
    return new Proxy(function () {}, { get: (_, key) => (key === "then" ? undefined : key === Symbol.toPrimitive ? () => "" : () => undefined) });
  };
  return make;
}

/** A module that has every name. */
export function offered(module, from) {
  return new Proxy({}, { get: (_, name) => (name in module ? module[name] : (VALUES[name] ?? stub(`${from}: ${String(name)}`))) });
}
