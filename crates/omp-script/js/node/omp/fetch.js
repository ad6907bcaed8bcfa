// Requests and responses of the web.
const { ReadableStream } = require("omp/streams");
const encoder = new TextEncoder();

const join = (parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.byteLength; }
  return all;
};
const bytesOf = (value) => (ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value instanceof ArrayBuffer ? new Uint8Array(value) : value instanceof Blob ? value._bytes : encoder.encode(String(value)));

class Blob {
  constructor(parts = [], { type = "" } = {}) {
    Object.defineProperty(this, "_bytes", { value: join([...parts].map((part) => Uint8Array.from(bytesOf(part)))) });
    this.type = String(type).toLowerCase();
  }
  get size() { return this._bytes.length; }
  async text() { return new TextDecoder().decode(this._bytes); }
  async arrayBuffer() { return this._bytes.slice().buffer; }
  async bytes() { return this._bytes.slice(); }
  slice(start, end, type) { return new Blob([this._bytes.slice(start, end)], { type }); }
  stream() { const bytes = this._bytes; return new ReadableStream({ start(controller) { if (bytes.length > 0) controller.enqueue(bytes.slice()); controller.close(); } }); }
  get [Symbol.toStringTag]() { return "Blob"; }
}
class File extends Blob {
  constructor(parts, name, options = {}) { super(parts, options); this.name = String(name); this.lastModified = options.lastModified ?? Date.now(); }
  get [Symbol.toStringTag]() { return "File"; }
}

class FormData {
  #pairs = [];
  #value(value, name) { return value instanceof Blob && !(value instanceof File) ? new File([value], name ?? "blob", { type: value.type }) : value instanceof Blob ? value : String(value); }
  append(name, value, file) { this.#pairs.push([String(name), this.#value(value, file)]); }
  set(name, value, file) { this.delete(name); this.append(name, value, file); }
  delete(name) { this.#pairs = this.#pairs.filter(([own]) => own !== String(name)); }
  get(name) { return this.#pairs.find(([own]) => own === String(name))?.[1] ?? null; }
  getAll(name) { return this.#pairs.filter(([own]) => own === String(name)).map(([, value]) => value); }
  has(name) { return this.#pairs.some(([own]) => own === String(name)); }
  forEach(work) { for (const [name, value] of this.#pairs) work(value, name, this); }
  *entries() { yield* this.#pairs; }
  *keys() { for (const [name] of this.#pairs) yield name; }
  *values() { for (const [, value] of this.#pairs) yield value; }
  [Symbol.iterator]() { return this.entries(); }
}
const multipart = (form) => {
  const boundary = `----omp${require("crypto").randomBytes(12).toString("hex")}`;
  const escape = (text) => text.replace(/\r?\n/g, "%0D%0A").replace(/"/g, "%22");
  const parts = [];
  for (const [name, value] of form) {
    const isFile = typeof value !== "string";
    parts.push(encoder.encode(`--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"${isFile ? `; filename="${escape(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}` : ""}\r\n\r\n`));
    parts.push(isFile ? value._bytes : encoder.encode(value), encoder.encode("\r\n"));
  }
  parts.push(encoder.encode(`--${boundary}--\r\n`));
  return { bytes: join(parts), type: `multipart/form-data; boundary=${boundary}` };
};

const nameOf = (name) => {
  const text = String(name);
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text)) throw new TypeError(`Headers.append: ${text} is an invalid header name.`);
  return text.toLowerCase();
};
const valueOf = (value) => {
  const text = String(value).trim();
  if (/[\0\r\n]/.test(text)) throw new TypeError(`Headers.append: "${text}" is an invalid header value.`);
  return text;
};
class Headers {
  #map = new Map();
  constructor(init) {
    if (init === undefined || init === null) return;
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }
  append(name, value) { const own = nameOf(name); this.#map.set(own, [...(this.#map.get(own) ?? []), valueOf(value)]); }
  set(name, value) { this.#map.set(nameOf(name), [valueOf(value)]); }
  get(name) { return this.#map.get(nameOf(name))?.join(", ") ?? null; }
  has(name) { return this.#map.has(nameOf(name)); }
  delete(name) { this.#map.delete(nameOf(name)); }
  getSetCookie() { return this.#map.get("set-cookie") ?? []; }
  forEach(work, own) { for (const [name, value] of this) work.call(own, value, name, this); }
  *entries() {
    for (const name of [...this.#map.keys()].sort()) {
      if (name === "set-cookie") for (const value of this.#map.get(name)) yield [name, value];
      else yield [name, this.get(name)];
    }
  }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return "Headers"; }
  [Symbol.for("nodejs.util.inspect.custom")](_, options, inspect) { return `Headers ${inspect(Object.fromEntries(this), options)}`; }
}

// What a body is made of: bytes or a stream, and the type that it suggests.
const bodyOf = (body) => {
  if (body === undefined || body === null) return { source: null };
  if (body instanceof ReadableStream) return { source: body };
  if (body instanceof FormData) { const { bytes, type } = multipart(body); return { source: bytes, type }; }
  if (body instanceof URLSearchParams) return { source: encoder.encode(body.toString()), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  if (body instanceof Blob) return { source: body._bytes, type: body.type || undefined };
  if (typeof body === "object" && (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)) return { source: Uint8Array.from(bytesOf(body)) };
  if (typeof body === "object" && typeof body[Symbol.asyncIterator] === "function") return { source: ReadableStream.from(body) };
  return { source: encoder.encode(String(body)), type: "text/plain;charset=UTF-8" };
};
class Body {
  #source;
  #used = false;
  _start(body) { const { source, type } = bodyOf(body); this.#source = source; return type; }
  get bodyUsed() { return this.#used; }
  get body() {
    if (this.#source instanceof Uint8Array) { const bytes = this.#source; this.#source = new ReadableStream({ start(controller) { if (bytes.length > 0) controller.enqueue(bytes); controller.close(); } }); }
    return this.#source;
  }
  async bytes() {
    if (this.#used || (this.#source instanceof ReadableStream && this.#source.locked)) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#source !== null;
    if (this.#source === null) return new Uint8Array(0);
    if (this.#source instanceof Uint8Array) return this.#source;
    const parts = [];
    for await (const chunk of this.#source) parts.push(bytesOf(chunk));
    return join(parts);
  }
  async text() { return new TextDecoder().decode(await this.bytes()); }
  async json() { return JSON.parse(await this.text()); }
  async arrayBuffer() { const bytes = await this.bytes(); return Uint8Array.from(bytes).buffer; }
  async blob() { return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" }); }
  async formData() {
    const form = new FormData();
    for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
    return form;
  }
  _tee() {
    if (!(this.#source instanceof ReadableStream)) return this.#source;
    const [one, two] = this.#source.tee();
    this.#source = one;
    return two;
  }
}

class Request extends Body {
  constructor(input, init = {}) {
    super();
    const from = input instanceof Request ? input : undefined;
    try { this.url = from ? from.url : new URL(String(input?.href ?? input)).href; } catch (error) { throw Object.assign(new TypeError(`Failed to parse URL from ${input}`), { cause: error }); }
    const method = String(init.method ?? from?.method ?? "GET");
    this.method = /^(get|head|post|put|delete|options|patch)$/i.test(method) ? method.toUpperCase() : method;
    this.headers = new Headers(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    this.redirect = init.redirect ?? from?.redirect ?? "follow";
    Object.assign(this, { credentials: init.credentials ?? "same-origin", mode: init.mode ?? "cors", cache: init.cache ?? "default", keepalive: false, integrity: "", referrer: "about:client", duplex: "half" });
    const body = init.body ?? (from && !("body" in init) ? from._tee() : undefined);
    if (body !== undefined && body !== null && (this.method === "GET" || this.method === "HEAD")) throw new TypeError("Request with GET/HEAD method cannot have body.");
    const type = this._start(body);
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }
  clone() { return new Request(this, { body: this._tee() }); }
  get [Symbol.toStringTag]() { return "Request"; }
}
class Response extends Body {
  constructor(body = null, { status = 200, statusText = "", headers } = {}) {
    super();
    if (!(status >= 200 && status <= 599)) throw new RangeError(`init["status"] must be in the range of 200 to 599, inclusive.`);
    Object.assign(this, { status, statusText, headers: new Headers(headers), type: "default", url: "", redirected: false });
    const type = this._start(body);
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }
  get ok() { return this.status >= 200 && this.status <= 299; }
  clone() {
    if (this.bodyUsed) throw new TypeError("Response.clone: Body has already been consumed.");
    return Object.assign(new Response(this._tee(), { status: this.status, statusText: this.statusText, headers: this.headers }), { url: this.url, redirected: this.redirected, type: this.type });
  }
  static json(value, init = {}) { return new Response(JSON.stringify(value), { ...init, headers: { "content-type": "application/json", ...Object.fromEntries(new Headers(init.headers)) } }); }
  static error() { return Object.assign(new Response(), { type: "error", status: 0 }); }
  static redirect(url, status = 302) { return new Response(null, { status, headers: { location: String(url) } }); }
  get [Symbol.toStringTag]() { return "Response"; }
}

const REDIRECTS = 20;
const send = (request, url, method, headers, bytes) => {
  const { promise, cancel } = internal.cancellable("http.request", { url, method, headers: [...headers] }, bytes);
  return new Promise((resolve, reject) => {
    const stop = () => { cancel(); reject(request.signal.reason); };
    request.signal.addEventListener("abort", stop, { once: true });
    promise.then((found) => { request.signal.removeEventListener("abort", stop); resolve(found); }, (error) => {
      request.signal.removeEventListener("abort", stop);
      reject(Object.assign(new TypeError("fetch failed"), { cause: error }));
    });
  });
};
const bodyStream = (id, signal) => new ReadableStream({
  start(controller) { signal.addEventListener("abort", () => { controller.error(signal.reason); internal.release(id); }, { once: true }); },
  async pull(controller) {
    let bytes;
    try { bytes = await internal.later("http.body", { id }); } catch (error) { throw Object.assign(new TypeError("terminated"), { cause: error }); }
    if (bytes === undefined) controller.close();
    else controller.enqueue(new Uint8Array(bytes));
  },
  cancel() { internal.release(id); },
});

const fromData = (url) => {
  const [, type, base64, data] = /^data:([^,;]*(?:;(?!base64)[^,;]*)*)(;base64)?,(.*)$/s.exec(url) ?? [];
  if (data === undefined) throw Object.assign(new TypeError("fetch failed"), { cause: new Error("invalid data URL") });
  const bytes = base64 ? Buffer.from(decodeURIComponent(data), "base64") : Buffer.from(decodeURIComponent(data));
  return new Response(bytes, { headers: { "content-type": type || "text/plain;charset=US-ASCII" } });
};

const fetch = async (input, init) => {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  let url = new URL(request.url);
  if (url.protocol === "data:") return fromData(url.href);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw Object.assign(new TypeError("fetch failed"), { cause: new Error("not implemented... yet...") });
  let { method } = request;
  const headers = new Headers(request.headers);
  if (url.username !== "" && !headers.has("authorization")) headers.set("authorization", `Basic ${btoa(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)}`);
  for (const [name, value] of [["accept", "*/*"], ["accept-language", "*"], ["user-agent", "node"]]) if (!headers.has(name)) headers.set(name, value);
  let bytes = request.body === null ? undefined : await request.bytes();
  for (let count = 0; ; count += 1) {
    const found = await send(request, url.href, method, headers, bytes);
    const made = new Headers(found.headers);
    const location = [301, 302, 303, 307, 308].includes(found.status) ? made.get("location") : null;
    if (location === null || request.redirect === "manual") {
      const isEmpty = [101, 204, 205, 304].includes(found.status) || method === "HEAD";
      if (isEmpty) internal.release(found.id);
      const response = new Response(isEmpty ? null : bodyStream(found.id, request.signal), { status: found.status, statusText: found.statusText, headers: made });
      return Object.assign(response, { url: url.href, redirected: count > 0, type: "basic" });
    }
    internal.release(found.id);
    if (request.redirect === "error") throw Object.assign(new TypeError("fetch failed"), { cause: new Error("unexpected redirect") });
    if (count >= REDIRECTS) throw Object.assign(new TypeError("fetch failed"), { cause: new Error("redirect count exceeded") });
    const next = new URL(location, url);
    if (found.status === 303 || ((found.status === 301 || found.status === 302) && method === "POST")) {
      if (method !== "HEAD") method = "GET";
      bytes = undefined;
      for (const name of ["content-type", "content-length", "content-encoding", "content-language", "content-location"]) headers.delete(name);
    }
    // Who may see them was decided for the first address.
    if (next.origin !== url.origin) for (const name of ["authorization", "cookie", "host", "proxy-authorization"]) headers.delete(name);
    url = next;
  }
};
module.exports = { Blob, File, FormData, Headers, Request, Response, fetch };
