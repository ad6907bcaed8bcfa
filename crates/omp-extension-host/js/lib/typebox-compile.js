/** `typebox/compile` and `@sinclair/typebox/compiler`: a schema with what can be asked of it. */

import { Value } from "omp:lib/typebox-value";

export class Validator {
  #schema;

  constructor(schema) {
    this.#schema = schema;
  }

  Schema() {
    return this.#schema;
  }

  Type() {
    return this.#schema;
  }
}

for (const [name, ask] of Object.entries(Value)) {
  if (name === "Clone" || name === "Equal") continue;
  Validator.prototype[name] = function (value) {
    return ask(this.Schema(), value);
  };
}

export function Compile(...list) {
  return new Validator(list.length > 1 ? { $defs: list[0], ...list[1] } : list[0]);
}

export const TypeCompiler = { Compile };
export default Compile;
