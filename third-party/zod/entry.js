// What extensions get as `zod`: the classic interface with English messages. Left out: the namespace `core`, the other languages and
// `fromJSONSchema`.

import { config } from "./v4/core/index.js";
import en from "./v4/locales/en.js";

config(en());

export * from "./v4/classic/schemas.js";
export * from "./v4/classic/checks.js";
export * from "./v4/classic/errors.js";
export * from "./v4/classic/parse.js";
export * from "./v4/classic/compat.js";
export {
  $brand, $input, $output, clone, config, flattenError, formatError, globalRegistry, NEVER, prettifyError, regexes, registry, TimePrecision,
  toJSONSchema, treeifyError, util,
} from "./v4/core/index.js";
export * as coerce from "./v4/classic/coerce.js";
export * as iso from "./v4/classic/iso.js";
export { ZodISODate, ZodISODateTime, ZodISODuration, ZodISOTime } from "./v4/classic/iso.js";
