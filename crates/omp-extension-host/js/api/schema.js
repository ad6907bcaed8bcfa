// Parameters of tools as JSON Schema, whichever library they were written with.

/** @returns {{schema: object, parse: ((value: unknown) => unknown) | undefined}} */
export function toJsonSchema(parameters) {
  if (parameters == null) return { schema: { type: "object", properties: {} }, parse: undefined };
  if (typeof parameters.safeParse === "function") return fromZod(parameters);
  if (typeof parameters.toJsonSchema === "function") return { schema: plain(parameters.toJsonSchema()), parse: undefined };
  return { schema: plain(parameters), parse: undefined };
}

function fromZod(type) {
  const toSchema = type.toJSONSchema ?? globalThis.__ompZod?.toJSONSchema;
  if (typeof toSchema !== "function") throw new Error("the parameters use a zod without toJSONSchema; zod 4 has it");
  const schema = type.toJSONSchema ? type.toJSONSchema({ io: "input" }) : toSchema(type, { io: "input" });
  delete schema.$schema;
  const parse = (value) => {
    const result = type.safeParse(value);
    if (result.success) return result.data;
    const issues = result.error.issues ?? [];
    throw new Error(issues.map((issue) => `${(issue.path ?? []).join(".") || "arguments"}: ${issue.message}`).join("\n"));
  };
  return { schema: plain(schema), parse };
}

/** Without symbols, functions and prototypes. */
function plain(value) {
  return JSON.parse(JSON.stringify(value));
}
