// node:sqlite, over the SQLite of the program.
const cellOf = (value) => {
  switch (typeof value) {
    case "bigint": return ["integer", String(value)];
    case "number": return Number.isSafeInteger(value) && !Object.is(value, -0) ? ["integer", String(value)] : ["real", value];
    case "string": return ["text", value];
    case "boolean": return ["integer", value ? "1" : "0"];
    case "undefined": return ["null"];
    default:
      if (value === null) return ["null"];
      if (ArrayBuffer.isView(value)) return ["blob", Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")];
      throw Object.assign(new TypeError("Provided value cannot be bound to SQLite parameter"), { code: "ERR_INVALID_ARG_TYPE" });
  }
};
const valueOf = (cell, big) => {
  if (cell !== null && typeof cell === "object") return "blob" in cell ? new Uint8Array(Buffer.from(cell.blob, "hex")) : BigInt(cell.integer);
  return big && Number.isInteger(cell) ? BigInt(cell) : cell;
};

class StatementSync {
  #database; #sql; #big = false;
  constructor(database, sql) { this.#database = database; this.#sql = sql; }
  #run(args, most) {
    const [first, ...rest] = args;
    const isNamed = first !== null && typeof first === "object" && !ArrayBuffer.isView(first) && !Array.isArray(first);
    const named = isNamed ? Object.fromEntries(Object.entries(first).map(([name, value]) => [name, cellOf(value)])) : undefined;
    const values = (isNamed ? rest : args).flat().map(cellOf);
    return internal.op("sqlite.query", { id: this.#database._open(), sql: this.#sql, named, values, most });
  }
  #row(columns, cells) {
    const row = Object.create(null);
    columns.forEach((name, at) => { row[name] = valueOf(cells[at], this.#big); });
    return row;
  }
  all(...args) { const { columns, rows } = this.#run(args); return rows.map((cells) => this.#row(columns, cells)); }
  get(...args) { const { columns, rows } = this.#run(args, 1); return rows.length === 0 ? undefined : this.#row(columns, rows[0]); }
  run(...args) { const { changes, last } = this.#run(args); return { lastInsertRowid: this.#big ? BigInt(last) : last, changes: this.#big ? BigInt(changes) : changes }; }
  *iterate(...args) { yield* this.all(...args); }
  values(...args) { return this.#run(args).rows.map((cells) => cells.map((cell) => valueOf(cell, this.#big))); }
  columns() { return this.#run([], 0).columns.map((name) => ({ name })); }
  setReadBigInts(on) { this.#big = on; }
  setAllowBareNamedParameters() {}
  get sourceSQL() { return this.#sql; }
  finalize() {}
}
class DatabaseSync {
  #id; #path; #options;
  constructor(path, { open = true, ...options } = {}) {
    const text = path instanceof URL ? require("url").fileURLToPath(path) : String(path);
    this.#path = text === ":memory:" || text === "" ? ":memory:" : require("path").resolve(text);
    this.#options = options;
    if (open) this.open();
  }
  open() {
    if (this.#id !== undefined) throw Object.assign(new Error("database is already open"), { code: "ERR_INVALID_STATE" });
    this.#id = internal.op("sqlite.open", { path: this.#path, readonly: this.#options.readOnly ?? this.#options.readonly, existing: this.#options.existing });
    if (this.#options.enableForeignKeyConstraints !== false) this.exec("PRAGMA foreign_keys = ON");
  }
  get isOpen() { return this.#id !== undefined; }
  _open() { if (this.#id === undefined) throw Object.assign(new Error("database is not open"), { code: "ERR_INVALID_STATE" }); return this.#id; }
  close() { const id = this._open(); this.#id = undefined; internal.op("sqlite.close", { id }); }
  exec(sql) { internal.op("sqlite.exec", { id: this._open(), sql: String(sql) }); }
  prepare(sql) { this._open(); return new StatementSync(this, String(sql)); }
  location() { return this.#path === ":memory:" ? null : this.#path; }
  function() { return internal.missing("node:sqlite.DatabaseSync.function")(); }
  [Symbol.dispose]() { if (this.isOpen) this.close(); }
}
module.exports = { DatabaseSync, StatementSync, constants: {} };
