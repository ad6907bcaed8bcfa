// HTTP: requests through the client of the program, servers on this machine.
const EventEmitter = require("events");
const { Readable, Writable } = require("stream");
const STATUS_CODES = {
  100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
  400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 413: "Payload Too Large", 415: "Unsupported Media Type", 418: "I'm a Teapot", 422: "Unprocessable Entity", 429: "Too Many Requests",
  500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
};
const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

const headersOf = (pairs) => {
  const headers = {};
  for (const [name, value] of pairs) {
    const own = name.toLowerCase();
    if (own === "set-cookie") (headers[own] ??= []).push(value);
    else headers[own] = headers[own] === undefined ? value : `${headers[own]}, ${value}`;
  }
  return headers;
};
class IncomingMessage extends Readable {
  constructor(facts, read) {
    super({ read });
    Object.assign(this, { httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1, complete: false, headers: headersOf(facts.headers), rawHeaders: facts.headers.flat(), trailers: {}, ...facts.own });
    this.once("end", () => { this.complete = true; });
  }
  setTimeout() { return this; }
}
class OutgoingMessage extends Writable {
  #headers = new Map();
  constructor() {
    super({ decodeStrings: true, autoDestroy: false, write: (chunk, encoding, done) => { this._parts.push(Buffer.from(chunk)); this._wrote?.(); done(); }, final: (done) => { this._sent = true; this._send(Buffer.concat(this._parts)); done(); } });
    this._parts = [];
    this.headersSent = false;
  }
  setHeader(name, value) { if (this.headersSent) throw Object.assign(new Error("Cannot set headers after they are sent to the client"), { code: "ERR_HTTP_HEADERS_SENT" }); this.#headers.set(String(name).toLowerCase(), [name, value]); return this; }
  setHeaders(headers) { for (const [name, value] of headers) this.setHeader(name, value); return this; }
  appendHeader(name, value) { const before = this.getHeader(name); return this.setHeader(name, before === undefined ? value : [before, value].flat()); }
  getHeader(name) { return this.#headers.get(String(name).toLowerCase())?.[1]; }
  getHeaders() { return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value])); }
  getHeaderNames() { return [...this.#headers.keys()]; }
  hasHeader(name) { return this.#headers.has(String(name).toLowerCase()); }
  removeHeader(name) { this.#headers.delete(String(name).toLowerCase()); }
  flushHeaders() {}
  _pairs() { return [...this.#headers.values()].flatMap(([name, value]) => [value].flat().map((one) => [String(name), String(one)])); }
  setTimeout(time, done) { if (done) this.once("timeout", done); return this; }
}

// -- servers

class ServerResponse extends OutgoingMessage {
  constructor(request, id) {
    super();
    Object.assign(this, { req: request, statusCode: 200, statusMessage: undefined, sendDate: true });
    this._id = id;
  }
  writeHead(status, message, headers) {
    const own = typeof message === "string" ? headers : message;
    this.statusCode = status;
    if (typeof message === "string") this.statusMessage = message;
    const pairs = Array.isArray(own) ? own.reduce((all, one, at) => (at % 2 === 0 ? [...all, [one, own[at + 1]]] : all), []) : Object.entries(own ?? {});
    for (const [name, value] of pairs) this.setHeader(name, value);
    return this;
  }
  _wrote() { this.headersSent = true; }
  _send(bytes) {
    this.headersSent = true;
    internal.op("server.answer", { id: this._id, status: this.statusCode, headers: this._pairs() }, bytes);
    this.once("finish", () => queueMicrotask(() => this.destroy()));
  }
  writeContinue() {}
}
class Server extends EventEmitter {
  #id; #address; #serving = false;
  listening = false;
  constructor(options, listener) {
    super();
    const own = typeof options === "function" ? options : listener;
    if (own) this.on("request", own);
  }
  listen(...args) {
    const done = args.find((one) => typeof one === "function");
    const [first, second] = args;
    const options = first !== null && typeof first === "object" ? first : { port: typeof first === "function" ? 0 : first, host: typeof second === "string" ? second : undefined };
    if (done) this.once("listening", done);
    internal.later("server.listen", { port: Number(options.port ?? 0), host: options.host }).then((made) => {
      this.#id = made.id;
      this.#address = { address: made.address, family: made.address.includes(":") ? "IPv6" : "IPv4", port: made.port };
      this.listening = true;
      this.emit("listening");
      this.#serve();
    }, (error) => this.emit("error", error)).catch((error) => internal.report("error", "an error in an HTTP server", error));
    return this;
  }
  async #serve() {
    if (this.#serving) return;
    this.#serving = true;
    while (this.listening) {
      const found = await internal.later("server.next", { id: this.#id });
      if (found === undefined) break;
      const [head, body] = found;
      let rest = Buffer.from(body);
      const request = new IncomingMessage({ headers: head.headers, own: { method: head.method, url: head.url, socket: { remoteAddress: head.remoteAddress, remotePort: head.remotePort, encrypted: false, destroy() {}, setTimeout() {} } } }, function () { if (rest.length > 0) { this.push(rest); rest = Buffer.alloc(0); } this.push(null); });
      request.connection = request.socket;
      const response = new ServerResponse(request, head.id);
      internal.guarded("an error in an HTTP server", () => this.emit("request", request, response), []);
    }
  }
  address() { return this.#address ?? null; }
  close(done) {
    if (!this.listening) { done?.(Object.assign(new Error("Server is not running."), { code: "ERR_SERVER_NOT_RUNNING" })); return this; }
    this.listening = false;
    internal.op("server.close", { id: this.#id });
    queueMicrotask(() => { this.emit("close"); done?.(); });
    return this;
  }
  closeAllConnections() {}
  closeIdleConnections() {}
  ref() { return this; }
  unref() { return this; }
  setTimeout() { return this; }
  [Symbol.asyncDispose]() { return new Promise((resolve) => this.close(() => resolve())); }
}

// -- requests

class ClientRequest extends OutgoingMessage {
  #cancel; #timer;
  constructor(scheme, input, options, done) {
    super();
    let settings = options;
    if (typeof input === "string" || input instanceof URL) settings = { ...require("url").urlToHttpOptions(new URL(input)), ...(typeof options === "function" ? {} : options) };
    else settings = { ...input, ...(typeof options === "object" ? options : {}) };
    const call = typeof options === "function" ? options : done;
    const protocol = settings.protocol ?? scheme;
    const host = settings.hostname ?? settings.host ?? "localhost";
    this.method = (settings.method ?? "GET").toUpperCase();
    this.path = settings.path ?? "/";
    this.host = host;
    this.protocol = protocol;
    this._url = `${protocol}//${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}${settings.port ? `:${settings.port}` : ""}${this.path}`;
    for (const [name, value] of Object.entries(settings.headers ?? {})) if (value !== undefined) this.setHeader(name, value);
    if (settings.auth && !this.hasHeader("authorization")) this.setHeader("authorization", `Basic ${Buffer.from(settings.auth).toString("base64")}`);
    if (call) this.once("response", call);
    if (settings.timeout > 0) this.setTimeout(settings.timeout);
    settings.signal?.addEventListener("abort", () => this.destroy(Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" })), { once: true });
    this.aborted = false;
    this.reusedSocket = false;
  }
  setTimeout(time, done) {
    if (done) this.once("timeout", done);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.emit("timeout"), time);
    return this;
  }
  _send(bytes) {
    const { promise, cancel } = internal.cancellable("http.request", { url: this._url, method: this.method, headers: this._pairs().filter(([name]) => name.toLowerCase() !== "content-length" && name.toLowerCase() !== "host") }, bytes.length > 0 ? bytes : undefined);
    this.#cancel = cancel;
    this.headersSent = true;
    promise.then((found) => {
      clearTimeout(this.#timer);
      const response = new IncomingMessage({ headers: found.headers, own: { statusCode: found.status, statusMessage: found.statusText, req: this } }, function () {
        internal.later("http.body", { id: found.id }).then((chunk) => this.push(chunk === undefined ? null : Buffer.from(chunk)), (error) => this.destroy(error));
      });
      response.url = this._url;
      response.once("close", () => this.destroy());
      if (!this.emit("response", response)) response.resume();
    }, (error) => { clearTimeout(this.#timer); if (!this.destroyed) this.emit("error", Object.assign(error, { code: error.code })); });
  }
  abort() { this.aborted = true; this.destroy(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })); }
  destroy(error) {
    this.#cancel?.();
    clearTimeout(this.#timer);
    return super.destroy(error);
  }
  setNoDelay() {}
  setSocketKeepAlive() {}
}
class Agent extends EventEmitter { constructor(options = {}) { super(); this.options = options; } destroy() {} }
const make = (scheme) => {
  const request = (input, options, done) => new ClientRequest(scheme, input, options, done);
  const get = (...args) => { const made = request(...args); made.end(); return made; };
  return { request, get, Agent, globalAgent: new Agent(), METHODS, STATUS_CODES, IncomingMessage, OutgoingMessage, ServerResponse, ClientRequest, Server, maxHeaderSize: 16384, validateHeaderName() {}, validateHeaderValue() {} };
};
module.exports = { ...make("http:"), createServer: (options, listener) => new Server(options, listener), _make: make };
Object.defineProperty(module.exports, "_make", { enumerable: false });
