const unescape = (text) => { try { return decodeURIComponent(text); } catch { return text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))); } };
const escape = (text) => encodeURIComponent(text);
const plain = (value) => (typeof value === "string" ? value : typeof value === "bigint" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) ? String(value) : "");
const own = {
  escape, unescape,
  parse(text, separator = "&", equals = "=", { maxKeys = 1000, decodeURIComponent: decode = unescape } = {}) {
    const found = Object.create(null);
    if (typeof text !== "string" || text === "") return found;
    for (const part of text.split(separator).slice(0, maxKeys > 0 ? maxKeys : undefined)) {
      if (part === "") continue;
      const at = part.indexOf(equals);
      const [name, value] = (at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + equals.length)]).map((one) => decode(one.replace(/\+/g, " ")));
      if (name in found) found[name] = [].concat(found[name], value);
      else found[name] = value;
    }
    return found;
  },
  stringify(object, separator = "&", equals = "=", { encodeURIComponent: encode = escape } = {}) {
    if (object === null || typeof object !== "object") return "";
    return Object.entries(object).flatMap(([name, value]) => [value].flat().map((one) => `${encode(name)}${equals}${encode(plain(one))}`)).join(separator);
  },
};
own.decode = own.parse;
own.encode = own.stringify;
module.exports = own;
