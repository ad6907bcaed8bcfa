// bun:sqlite, over the same.
const { DatabaseSync } = require("sqlite");
class Database {
  #own; #depth = 0;
  constructor(path = ":memory:", options = {}) {
    const { readonly = false, create = true } = typeof options === "number" ? {} : options;
    this.filename = path;
    this.#own = new DatabaseSync(path || ":memory:", { readOnly: readonly, existing: !create, enableForeignKeyConstraints: false });
  }
  static open(...args) { return new Database(...args); }
  #statement(sql) {
    const statement = this.#own.prepare(sql);
    const get = (...args) => statement.get(...args) ?? null;
    return { all: (...args) => statement.all(...args).map((row) => ({ ...row })), get: (...args) => { const row = get(...args); return row === null ? null : { ...row }; }, run: (...args) => statement.run(...args), values: (...args) => statement.values(...args), iterate: (...args) => statement.iterate(...args), finalize() {}, toString: () => sql, get columnNames() { return statement.columns().map(({ name }) => name); }, as() { return this; } };
  }
  query(sql) { return this.#statement(sql); }
  prepare(sql) { return this.#statement(sql); }
  run(sql, ...args) { if (args.length === 0) { this.#own.exec(sql); return { changes: 0, lastInsertRowid: 0 }; } return this.#own.prepare(sql).run(...args); }
  exec(sql, ...args) { return this.run(sql, ...args); }
  transaction(work) {
    const run = (begin) => (...args) => {
      const name = `omp_${this.#depth}`;
      this.#own.exec(this.#depth === 0 ? begin : `SAVEPOINT ${name}`);
      this.#depth += 1;
      let value;
      try { value = work(...args); } catch (error) { this.#depth -= 1; this.#own.exec(this.#depth === 0 ? "ROLLBACK" : `ROLLBACK TO ${name}`); throw error; }
      this.#depth -= 1;
      this.#own.exec(this.#depth === 0 ? "COMMIT" : `RELEASE ${name}`);
      return value;
    };
    return Object.assign(run("BEGIN"), { deferred: run("BEGIN"), immediate: run("BEGIN IMMEDIATE"), exclusive: run("BEGIN EXCLUSIVE") });
  }
  get inTransaction() { return this.#depth > 0; }
  close() { if (this.#own.isOpen) this.#own.close(); }
  [Symbol.dispose]() { this.close(); }
}
module.exports = { Database, default: Database, constants: {} };
