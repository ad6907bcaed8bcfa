// Methods of the language that depend on a place, in American English.
const own = () => require("omp/intl");
const define = (target, name, value) => Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
const time = (defaults) => function (locales, options) { const { DateTimeFormat } = own(); return Number.isNaN(this.getTime()) ? "Invalid Date" : new DateTimeFormat(locales, defaulted(options, defaults), defaults).format(this); };
const defaulted = (options = {}, { date, time: hasTime }) => {
  const has = (names) => names.some((name) => options[name] !== undefined);
  const dated = has(["weekday", "year", "month", "day", "dateStyle"]);
  const timed = has(["hour", "minute", "second", "dayPeriod", "fractionalSecondDigits", "timeStyle"]);
  if (date && !hasTime && timed && !dated) return { year: "numeric", month: "numeric", day: "numeric", ...options };
  if (hasTime && !date && dated && !timed) return { hour: "numeric", minute: "2-digit", second: "2-digit", ...options };
  return options;
};
define(Number.prototype, "toLocaleString", function toLocaleString(locales, options) { return new (own().NumberFormat)(locales, options).format(this.valueOf()); });
define(BigInt.prototype, "toLocaleString", function toLocaleString() { return new (own().NumberFormat)().format(this.valueOf()); });
define(Date.prototype, "toLocaleString", time({ date: true, time: true }));
define(Date.prototype, "toLocaleDateString", time({ date: true, time: false }));
define(Date.prototype, "toLocaleTimeString", time({ date: false, time: true }));
define(String.prototype, "localeCompare", function localeCompare(other, locales, { numeric = false, sensitivity = "variant" } = {}) { return own().collate(numeric, ["base", "accent"].includes(sensitivity))(String(this), String(other)); });
