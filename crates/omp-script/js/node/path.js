// Paths as POSIX knows them.
const check = (value, name) => {
  if (typeof value !== "string") {
    const error = new TypeError(`The "${name}" argument must be of type string. Received ${value === null ? "null" : typeof value}`);
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
};

// The parts of a path without `.` and, as far as there is something to leave, without `..`.
const plain = (path, absolute) => {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts[parts.length - 1] !== "..") parts.pop();
    else if (!absolute) parts.push("..");
  }
  return parts.join("/");
};

const normalize = (path) => {
  check(path, "path");
  if (path === "") return ".";
  const absolute = path.startsWith("/");
  let shown = plain(path, absolute);
  if (shown === "" && !absolute) shown = ".";
  if (shown !== "" && path.endsWith("/")) shown += "/";
  return absolute ? `/${shown}` : shown;
};

const join = (...paths) => {
  paths.forEach((path) => check(path, "path"));
  const joined = paths.filter((path) => path !== "").join("/");
  return joined === "" ? "." : normalize(joined);
};

const resolve = (...paths) => {
  let whole = "";
  for (let at = paths.length - 1; at >= -1 && !whole.startsWith("/"); at -= 1) {
    const path = at >= 0 ? paths[at] : internal.op("process.cwd");
    check(path, `paths[${at}]`);
    if (path !== "") whole = whole === "" ? path : `${path}/${whole}`;
  }
  return `/${plain(whole, true)}`;
};

const relative = (from, to) => {
  check(from, "from");
  check(to, "to");
  const parts = (path) => resolve(path).split("/").filter((part) => part !== "");
  const [start, end] = [parts(from), parts(to)];
  let same = 0;
  while (same < start.length && same < end.length && start[same] === end[same]) same += 1;
  return [...start.slice(same).map(() => ".."), ...end.slice(same)].join("/");
};

const dirname = (path) => {
  check(path, "path");
  if (path === "") return ".";
  const bare = path.replace(/\/+$/, "");
  if (bare === "") return path.startsWith("/") ? "/" : ".";
  const at = bare.lastIndexOf("/");
  if (at < 0) return ".";
  return bare.slice(0, at).replace(/\/+$/, "") || (path.startsWith("//") && at === 1 ? "//" : "/");
};

const basename = (path, suffix) => {
  check(path, "path");
  if (suffix !== undefined) check(suffix, "suffix");
  const bare = path.replace(/\/+$/, "");
  const name = bare.slice(bare.lastIndexOf("/") + 1);
  return suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
};

const extname = (path) => {
  check(path, "path");
  const name = basename(path);
  const at = name.lastIndexOf(".");
  return at <= 0 || name === ".." ? "" : name.slice(at);
};

const parse = (path) => {
  check(path, "path");
  const root = path.startsWith("/") ? "/" : "";
  const base = basename(path);
  const ext = extname(path);
  const bare = path.replace(/\/+$/, "");
  const at = bare.lastIndexOf("/");
  const dir = at < 0 ? "" : at === 0 ? root : bare.slice(0, at);
  return { root, dir: path.replace(/\/+$/, "") === "" ? root : dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
};

const format = (object) => {
  const dir = object.dir || object.root || "";
  const ext = object.ext ? (object.ext.startsWith(".") ? object.ext : `.${object.ext}`) : "";
  const base = object.base || `${object.name || ""}${ext}`;
  if (dir === "") return base;
  return dir === object.root ? `${dir}${base}` : `${dir}/${base}`;
};

// `*` and `?` within a part, `**` over parts, sets and alternatives.
const matchesGlob = (path, pattern) => {
  check(path, "path");
  check(pattern, "pattern");
  let text = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at];
    if (letter === "*" && pattern[at + 1] === "*") {
      at += 1;
      if (pattern[at + 1] === "/") {
        at += 1;
        text += "(?:[^/]+/)*";
      } else text += ".*";
    } else if (letter === "*") text += "[^/]*";
    else if (letter === "?") text += "[^/]";
    else if (letter === "{") { depth += 1; text += "(?:"; }
    else if (letter === "}" && depth > 0) { depth -= 1; text += ")"; }
    else if (letter === "," && depth > 0) text += "|";
    else if (letter === "[") {
      const end = pattern.indexOf("]", at + 1);
      if (end < 0) text += "\\[";
      else {
        text += `[${pattern.slice(at + 1, end).replace(/^!/, "^").replace(/\\/g, "\\\\")}]`;
        at = end;
      }
    } else text += letter.replace(/[.+^$()|\\\]}]/g, "\\$&");
  }
  return new RegExp(`^${text}$`).test(path);
};

const path = {
  sep: "/", delimiter: ":", normalize, join, resolve, relative, dirname, basename, extname, parse, format, matchesGlob,
  isAbsolute: (value) => { check(value, "path"); return value.startsWith("/"); },
  toNamespacedPath: (value) => value,
};
path.posix = path;
Object.defineProperty(path, "win32", { enumerable: true, get: () => internal.missing("node:path.win32") });
module.exports = path;
