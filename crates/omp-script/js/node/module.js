const names = Object.keys(internal.moduleNames);
const createRequire = (from) => {
  const path = from instanceof URL || String(from).startsWith("file:") ? require("url").fileURLToPath(from) : String(from);
  if (!path.startsWith("/")) throw Object.assign(new TypeError(`The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received ${require("util").inspect(from)}`), { code: "ERR_INVALID_ARG_VALUE" });
  return internal.makeRequire(path);
};
function Module(id) { this.id = id; this.exports = {}; }
Object.assign(Module, {
  Module, createRequire, builtinModules: names, isBuiltin: (name) => names.includes(String(name).replace(/^node:/, "")), _extensions: Object.create(null), _cache: Object.create(null), globalPaths: [],
  register: internal.missing("node:module.register"), findSourceMap: () => undefined, syncBuiltinESMExports() {}, enableCompileCache: () => ({ status: 3 }), stripTypeScriptTypes: internal.missing("node:module.stripTypeScriptTypes"),
});
module.exports = Module;
