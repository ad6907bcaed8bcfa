// Addresses.
class URLSearchParams {
  #pairs = [];
  #changed;
  constructor(init = "", changed = undefined) {
    this.#changed = changed;
    if (init === null || init === undefined) return;
    if (typeof init === "object" || typeof init === "function") {
      if (typeof init[Symbol.iterator] === "function") {
        for (const pair of init) {
          const two = [...pair];
          if (two.length !== 2) { const error = new TypeError("Each query pair must be an iterable [name, value] tuple"); error.code = "ERR_INVALID_TUPLE"; throw error; }
          this.#pairs.push(two.map((one) => String(one).toWellFormed()));
        }
      } else for (const key of Object.keys(init)) this.#pairs.push([String(key), String(init[key]).toWellFormed()]);
      return;
    }
    const text = String(init).replace(/^\?/, "");
    for (const part of text.split("&")) {
      if (part === "") continue;
      const at = part.indexOf("=");
      this.#pairs.push((at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)]).map(decode));
    }
  }
  #set(pairs) { this.#pairs = pairs; this.#changed?.(this.toString()); }
  append(name, value) { this.#set([...this.#pairs, [String(name), String(value)]]); }
  delete(name, value) { this.#set(this.#pairs.filter(([own, other]) => own !== String(name) || (value !== undefined && other !== String(value)))); }
  get(name) { return this.#pairs.find(([own]) => own === String(name))?.[1] ?? null; }
  getAll(name) { return this.#pairs.filter(([own]) => own === String(name)).map(([, value]) => value); }
  has(name, value) { return this.#pairs.some(([own, other]) => own === String(name) && (value === undefined || other === String(value))); }
  set(name, value) {
    const at = this.#pairs.findIndex(([own]) => own === String(name));
    if (at < 0) return this.append(name, value);
    this.#set(this.#pairs.filter(([own], number) => number <= at || own !== String(name)).map((pair, number) => (number === at ? [pair[0], String(value)] : pair)));
  }
  sort() { this.#set([...this.#pairs].sort(([one], [two]) => (one < two ? -1 : one > two ? 1 : 0))); }
  get size() { return this.#pairs.length; }
  forEach(work, own) { for (const [name, value] of this.#pairs) work.call(own, value, name, this); }
  *entries() { yield* this.#pairs.map((pair) => [...pair]); }
  *keys() { for (const [name] of this.#pairs) yield name; }
  *values() { for (const [, value] of this.#pairs) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#pairs.map((pair) => pair.map(encode).join("=")).join("&"); }
  get [Symbol.toStringTag]() { return "URLSearchParams"; }
  [Symbol.for("nodejs.util.inspect.custom")](_, options, inspect) {
    const pairs = this.#pairs.map(([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`);
    return pairs.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${pairs.join(", ")} }`;
  }
}
const decode = (text) => {
  const plain = text.replace(/\+/g, " ");
  try { return decodeURIComponent(plain); } catch { return Buffer.from(plain.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))), "latin1").toString(); }
};
const encode = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/[!'()~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

const invalidUrl = (input, base) => {
  const error = new TypeError("Invalid URL");
  error.code = "ERR_INVALID_URL";
  error.input = String(input);
  if (base !== undefined) error.base = String(base);
  return error;
};
const read = (input, base) => {
  try { return internal.op("url.parse", { url: String(input).toWellFormed(), base: base === undefined ? undefined : String(base) }); } catch { throw invalidUrl(input, base); }
};

class URL {
  #parts;
  #params;
  constructor(input, base) {
    if (arguments.length === 0) { const error = new TypeError('The "url" argument must be specified'); error.code = "ERR_MISSING_ARGS"; throw error; }
    this.#parts = read(input, base);
  }
  #change(part, value) {
    this.#parts = internal.op("url.set", { url: this.#parts.href, part, value: String(value) });
    if (part !== "hash" && this.#params !== undefined) this.#params = undefined;
  }
  get href() { return this.#parts.href; }
  set href(value) { this.#parts = read(value); this.#params = undefined; }
  get origin() { return this.#parts.origin; }
  get searchParams() {
    this.#params ??= new URLSearchParams(this.#parts.search, (text) => { this.#parts = internal.op("url.set", { url: this.#parts.href, part: "search", value: text }); });
    return this.#params;
  }
  toString() { return this.href; }
  toJSON() { return this.href; }
  static canParse(input, base) { try { read(input, base); return true; } catch { return false; } }
  static parse(input, base) { try { return new URL(input, base); } catch { return null; } }
  static createObjectURL() { return internal.missing("URL.createObjectURL")(); }
  static revokeObjectURL() {}
  get [Symbol.toStringTag]() { return "URL"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    if (depth < 0) return "[URL]";
    const shown = {};
    for (const name of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"]) shown[name] = this[name];
    return `URL ${inspect(shown, options)}`;
  }
  static {
    for (const part of ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"]) {
      Object.defineProperty(URL.prototype, part, { configurable: true, enumerable: true, get() { return this.#parts[part]; }, set(value) { this.#change(part, value); } });
    }
  }
}

const fail = (Kind, code, message) => Object.assign(new Kind(message), { code });
const fileURLToPath = (input) => {
  const url = typeof input === "string" ? new URL(input) : input;
  if (url === null || typeof url !== "object" || typeof url.href !== "string") throw fail(TypeError, "ERR_INVALID_ARG_TYPE", 'The "path" argument must be of type string or an instance of URL.');
  if (url.protocol !== "file:") throw fail(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  if (url.hostname !== "") throw fail(TypeError, "ERR_INVALID_FILE_URL_HOST", `File URL host must be "localhost" or empty on ${process.platform}`);
  if (/%2f/i.test(url.pathname)) throw fail(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded / characters");
  return decodeURIComponent(url.pathname);
};
const pathToFileURL = (path) => {
  const full = require("path").resolve(path) + (path.endsWith("/") && path !== "/" ? "/" : "");
  return new URL(`file://${full.replace(/[%\\\n\r\t?#]/g, (letter) => encodeURIComponent(letter))}`);
};

// The old way.
const parse = (text, wantsQuery = false) => {
  const found = /^([a-z][a-z0-9+.-]*:)?(\/\/)?(?:([^@/?#]*)@)?([^:/?#]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(text.trim()) ?? [];
  const [, protocol = null, slashes, auth = null, hostname, port = null, pathname, search = null, hash = null] = found;
  const hosted = Boolean(slashes);
  const path = hosted ? pathname || (protocol ? "/" : null) : `${hostname ?? ""}${port ? `:${port}` : ""}${pathname ?? ""}` || null;
  const query = search === null ? null : search.slice(1);
  const made = {
    protocol: protocol?.toLowerCase() ?? null, slashes: hosted || null, auth: auth && decodeURIComponent(auth), host: hosted ? `${hostname.toLowerCase()}${port ? `:${port}` : ""}` : null, port: hosted ? port : null,
    hostname: hosted ? hostname.toLowerCase() : null, hash, search, query: wantsQuery ? require("querystring").parse(query ?? "") : query, pathname: path, path: path === null && search === null ? null : `${path ?? ""}${search ?? ""}`,
  };
  return { ...made, href: format(made) };
};
const format = (value) => {
  if (typeof value === "string") return parse(value).href;
  if (value instanceof URL) return value.href;
  const { protocol, auth, hash, search, query, pathname, slashes } = value;
  const host = value.host ?? (value.hostname ? `${value.hostname}${value.port ? `:${value.port}` : ""}` : null);
  const scheme = protocol ? (protocol.endsWith(":") ? protocol : `${protocol}:`) : "";
  const needs = slashes || (host !== null && ["http:", "https:", "ftp:", "file:", "ws:", "wss:"].includes(scheme));
  const own = search ?? (query && typeof query === "object" ? `?${require("querystring").stringify(query)}` : query ? `?${query}` : "");
  const tail = own && own !== "?" ? (own.startsWith("?") ? own : `?${own}`) : "";
  return `${scheme}${needs ? "//" : ""}${auth ? `${encodeURIComponent(auth).replace(/%3A/i, ":")}@` : ""}${host ?? ""}${host && pathname && !pathname.startsWith("/") ? "/" : ""}${pathname ?? ""}${tail}${hash ? (hash.startsWith("#") ? hash : `#${hash}`) : ""}`;
};
module.exports = {
  URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, Url: function Url() {},
  resolve: (from, to) => {
    const url = new URL(to, new URL(from, "resolve://"));
    return url.protocol === "resolve:" ? `${url.pathname}${url.search}${url.hash}` : url.href;
  },
  domainToASCII: (name) => URL.parse(`http://${name}`)?.hostname ?? "", domainToUnicode: (name) => name,
  urlToHttpOptions: (url) => ({ protocol: url.protocol, hostname: url.hostname, hash: url.hash, search: url.search, pathname: url.pathname, path: `${url.pathname}${url.search}`, href: url.href, ...(url.port === "" ? {} : { port: Number(url.port) }), ...(url.username ? { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` } : {}) }),
};
