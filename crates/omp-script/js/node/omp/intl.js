// Numbers and times as they are written in American English, which is what scripts for a terminal show.
const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const group = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

const round = (value, least, most) => {
  let text = value >= 1e21 ? `${BigInt(value)}${most > 0 ? `.${"0".repeat(most)}` : ""}` : value.toFixed(Math.min(most, 100));
  if (text.includes(".")) {
    let [whole, part] = text.split(".");
    while (part.length > least && part.endsWith("0")) part = part.slice(0, -1);
    text = part === "" ? whole : `${whole}.${part}`;
  }
  return text;
};

class NumberFormat {
  #options;
  constructor(locales, options = {}) { this.#options = options; }
  format(value) {
    const { style = "decimal", currency = "USD", notation = "standard", useGrouping = true, minimumIntegerDigits = 1, unit, compactDisplay = "short", signDisplay = "auto" } = this.#options;
    if (typeof value === "bigint") return (value < 0n ? "-" : "") + group(String(value < 0n ? -value : value));
    let number = Number(value);
    if (Number.isNaN(number)) return style === "percent" ? "NaN%" : style === "currency" ? "$NaN" : "NaN";
    const negative = number < 0 || Object.is(number, -0);
    const zero = number === 0;
    number = Math.abs(number);
    if (style === "percent") number *= 100;
    const isMoney = style === "currency";
    const money = isMoney ? (["JPY", "KRW"].includes(currency) ? 0 : 2) : undefined;
    let least = this.#options.minimumFractionDigits ?? money ?? 0;
    let most = this.#options.maximumFractionDigits ?? (money !== undefined ? Math.max(money, least) : Math.max(least, style === "percent" ? 0 : 3));
    if (this.#options.minimumFractionDigits === undefined) least = Math.min(least, most);
    let suffix = "";
    if (notation === "compact") {
      const steps = compactDisplay === "long" ? [[1e12, " trillion"], [1e9, " billion"], [1e6, " million"], [1e3, " thousand"]] : [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]];
      const step = steps.find(([size]) => number >= size);
      if (step) { number /= step[0]; suffix = step[1]; }
      if (this.#options.maximumFractionDigits === undefined) most = number < 100 ? (number < 10 ? 1 : 1) : 0;
      if (number < 100 && this.#options.maximumFractionDigits === undefined) { number = Number(number.toPrecision(2)); }
      least = Math.min(least, most);
    }
    if (!Number.isFinite(number)) return `${negative ? "-" : ""}∞`;
    let text;
    const { maximumSignificantDigits: digits } = this.#options;
    if (digits !== undefined) text = round(Number(number.toPrecision(digits)), 0, 20);
    else text = round(number, least, most);
    let [whole, part] = text.split(".");
    whole = whole.padStart(minimumIntegerDigits, "0");
    if (useGrouping !== false) whole = group(whole);
    let shown = part === undefined ? whole : `${whole}.${part}`;
    shown += suffix;
    if (style === "percent") shown += "%";
    if (style === "unit" && unit) shown += { megabyte: " MB", kilobyte: " kB", byte: " byte", second: " sec", minute: " min", hour: " hr", percent: "%" }[unit] ?? ` ${unit}`;
    if (isMoney) shown = `${{ USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩" }[currency] ?? `${currency} `}${shown}`;
    if (negative && !(zero && signDisplay !== "always" && signDisplay !== "auto")) return `-${shown}`;
    return signDisplay === "always" || (signDisplay === "exceptZero" && !zero) ? `+${shown}` : shown;
  }
  formatToParts(value) { return [{ type: "literal", value: this.format(value) }]; }
  resolvedOptions() { return { locale: "en-US", numberingSystem: "latn", style: "decimal", ...this.#options }; }
  static supportedLocalesOf() { return ["en-US"]; }
}

// The parts of a time in the zone of the machine, or in UTC.
const partsOf = (date, zone) => {
  const utc = zone === "UTC" || zone === "GMT";
  const get = (name) => date[`get${utc ? "UTC" : ""}${name}`]();
  return { year: get("FullYear"), month: get("Month"), day: get("Date"), weekday: get("Day"), hour: get("Hours"), minute: get("Minutes"), second: get("Seconds"), milli: get("Milliseconds") };
};
const two = (number) => String(number).padStart(2, "0");
const styles = {
  full: { weekday: "long", year: "numeric", month: "long", day: "numeric" }, long: { year: "numeric", month: "long", day: "numeric" }, medium: { year: "numeric", month: "short", day: "numeric" }, short: { year: "2-digit", month: "numeric", day: "numeric" },
};
class DateTimeFormat {
  #options;
  constructor(locales, options = {}, { date = true, time = false } = {}) {
    let own = { ...options };
    if (own.dateStyle) Object.assign(own, styles[own.dateStyle], { hasAt: ["full", "long"].includes(own.dateStyle) });
    if (own.timeStyle) Object.assign(own, { hour: "numeric", minute: "2-digit", ...(own.timeStyle === "short" ? {} : { second: "2-digit" }) });
    const names = ["weekday", "year", "month", "day", "hour", "minute", "second", "fractionalSecondDigits", "dayPeriod"];
    const some = (list) => list.some((name) => own[name] !== undefined);
    if (!some(names)) own = { ...own, ...(date ? { year: "numeric", month: "numeric", day: "numeric" } : {}), ...(time ? { hour: "numeric", minute: "2-digit", second: "2-digit" } : {}) };
    this.#options = own;
    this.format = this.format.bind(this);
  }
  format(value = new Date()) {
    const date = value instanceof Date ? value : new Date(value);
    if (Number.isNaN(date.getTime())) throw new RangeError("Invalid time value");
    const o = this.#options;
    const p = partsOf(date, o.timeZone);
    const year = o.year === "2-digit" ? two(p.year % 100) : o.year ? String(p.year) : "";
    const day = o.day === "2-digit" ? two(p.day) : o.day ? String(p.day) : "";
    const weekday = o.weekday ? (o.weekday === "long" ? days[p.weekday] : days[p.weekday].slice(0, o.weekday === "narrow" ? 1 : 3)) : "";
    let shown;
    if (o.month === "long" || o.month === "short" || o.month === "narrow") {
      const month = o.month === "long" ? months[p.month] : months[p.month].slice(0, o.month === "narrow" ? 1 : 3);
      const middle = [month, day].filter(Boolean).join(" ");
      shown = [weekday, day && year ? `${middle}, ${year}` : [middle, year].filter(Boolean).join(" ")].filter(Boolean).join(", ");
    } else {
      const month = o.month === "2-digit" ? two(p.month + 1) : o.month ? String(p.month + 1) : "";
      shown = [weekday, [month, day, year].filter(Boolean).join("/")].filter(Boolean).join(", ");
    }
    const time = this.#time(p, o);
    if (time === "") return shown;
    return shown === "" ? time : `${shown}${o.hasAt ? " at " : ", "}${time}`;
  }
  #time(p, o) {
    if (!o.hour && !o.minute && !o.second) return "";
    const twelve = o.hour12 ?? !(o.hourCycle === "h23" || o.hourCycle === "h24");
    const many = [o.hour, o.minute, o.second].filter(Boolean).length > 1;
    const parts = [];
    if (o.hour) {
      const hour = twelve ? p.hour % 12 || 12 : p.hour;
      parts.push(o.hour === "2-digit" || !twelve ? two(hour) : String(hour));
    }
    if (o.minute) parts.push(many || o.minute === "2-digit" ? two(p.minute) : String(p.minute));
    if (o.second) parts.push((many || o.second === "2-digit" ? two(p.second) : String(p.second)) + (o.fractionalSecondDigits ? `.${String(p.milli).padStart(3, "0").slice(0, o.fractionalSecondDigits)}` : ""));
    const zone = o.timeZoneName ? (o.timeZone ?? "UTC") : "";
    return [parts.join(":"), o.hour && twelve ? (p.hour < 12 ? "AM" : "PM") : "", zone].filter(Boolean).join(" ");
  }
  formatToParts(value) { return [{ type: "literal", value: this.format(value) }]; }
  formatRange(from, to) { return `${this.format(from)} – ${this.format(to)}`; }
  resolvedOptions() { return { locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: this.#options.timeZone ?? process.env.TZ ?? "UTC" }; }
  static supportedLocalesOf() { return ["en-US"]; }
}

// Characters as a reader counts them: marks, joiners and flags belong to what stands before.
class Segmenter {
  #granularity;
  constructor(locales, { granularity = "grapheme" } = {}) { this.#granularity = granularity; }
  segment(text) {
    const pieces = this.#granularity === "word" ? text.match(/[\p{L}\p{N}_']+|\s+|[^\p{L}\p{N}_'\s]/gu) ?? []
      : this.#granularity === "sentence" ? text.match(/[^.!?]+[.!?]*\s*|[.!?]+\s*/gu) ?? []
        : text.match(/\r\n|\p{RI}\p{RI}|[\u1100-\u115f]+[\u1160-\u11a7]*[\u11a8-\u11ff]*|(?:\p{Emoji}\p{EMod}?|\P{M})(?:\ufe0f|\u20e3|\p{M}|\p{EMod}|[\u{e0020}-\u{e007f}]|\u200d\p{ExtPict}\p{EMod}?\ufe0f?|\u200d)*|\p{M}+/gsu) ?? [];
    let index = 0;
    const segments = pieces.map((segment) => { const made = { segment, index, input: text, ...(this.#granularity === "word" ? { isWordLike: /[\p{L}\p{N}]/u.test(segment) } : {}) }; index += segment.length; return made; });
    return { [Symbol.iterator]: () => segments[Symbol.iterator](), containing: (at) => segments.findLast((one) => one.index <= at) };
  }
}
const collate = (numeric, base) => (one, two) => {
  const key = (text) => String(text).normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const [left, right] = [key(one), key(two)];
  if (numeric) {
    const pieces = (text) => text.match(/\d+|\D+/g) ?? [];
    const [first, second] = [pieces(left), pieces(right)];
    for (let at = 0; at < Math.min(first.length, second.length); at += 1) {
      if (first[at] === second[at]) continue;
      if (/^\d/.test(first[at]) && /^\d/.test(second[at])) { const difference = Number(first[at]) - Number(second[at]); if (difference !== 0) return Math.sign(difference); continue; }
      return first[at] < second[at] ? -1 : 1;
    }
    if (first.length !== second.length) return Math.sign(first.length - second.length);
  }
  if (left !== right) return left < right ? -1 : 1;
  if (base || one === two) return 0;
  // Small letters come before large ones.
  return String(one) > String(two) ? -1 : 1;
};
class Collator { constructor(locales, { numeric = false, sensitivity = "variant" } = {}) { this.compare = collate(numeric, ["base", "accent"].includes(sensitivity)); } resolvedOptions() { return { locale: "en-US" }; } }
class PluralRules {
  #ordinal;
  constructor(locales, { type = "cardinal" } = {}) { this.#ordinal = type === "ordinal"; }
  select(number) {
    if (!this.#ordinal) return number === 1 ? "one" : "other";
    const [ten, hundred] = [number % 10, number % 100];
    return ten === 1 && hundred !== 11 ? "one" : ten === 2 && hundred !== 12 ? "two" : ten === 3 && hundred !== 13 ? "few" : "other";
  }
}
class RelativeTimeFormat {
  #auto;
  constructor(locales, { numeric = "always" } = {}) { this.#auto = numeric === "auto"; }
  format(value, unit) {
    const name = unit.replace(/s$/, "");
    if (this.#auto && name === "day" && [-1, 0, 1].includes(value)) return ["yesterday", "today", "tomorrow"][value + 1];
    if (this.#auto && value === 0) return name === "second" ? "now" : `this ${name}`;
    if (this.#auto && Math.abs(value) === 1 && ["week", "month", "quarter", "year"].includes(name)) return `${value < 0 ? "last" : "next"} ${name}`;
    const count = new NumberFormat().format(Math.abs(value));
    const shown = `${count} ${name}${Math.abs(value) === 1 ? "" : "s"}`;
    return value < 0 || Object.is(value, -0) ? `${shown} ago` : `in ${shown}`;
  }
}
class ListFormat {
  #word;
  constructor(locales, { type = "conjunction" } = {}) { this.#word = type === "disjunction" ? "or" : type === "unit" ? "" : "and"; }
  format(list) {
    const all = [...list];
    if (all.length < 2) return all.join("");
    if (this.#word === "") return all.join(", ");
    return all.length === 2 ? all.join(` ${this.#word} `) : `${all.slice(0, -1).join(", ")}, ${this.#word} ${all.at(-1)}`;
  }
}
module.exports = {
  Intl: { NumberFormat: callable(NumberFormat), DateTimeFormat: callable(DateTimeFormat), Segmenter, Collator: callable(Collator), PluralRules, RelativeTimeFormat, ListFormat, getCanonicalLocales: (locales) => [locales ?? []].flat(), supportedValuesOf: () => [] },
  DateTimeFormat, NumberFormat, collate,
};
function callable(Kind) { return new Proxy(Kind, { apply: (target, own, args) => new target(...args) }); }
