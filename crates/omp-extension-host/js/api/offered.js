// A unit of its own for the doctor: of the names that an extension imports, those that omp does not have.
import { createRequire } from "node:module";

const require = createRequire("/");

/** What stands for a missing name refuses every property. */
function isMissing(value) {
  try {
    return value === undefined || (typeof value === "function" && void value.ompOffers);
  } catch {
    return true;
  }
}

async function load(module) {
  return /^(node:|bun)/.test(module) ? require(module) : import(module);
}

/** @param {Record<string, string[]>} imports names by module
    @returns {Promise<Record<string, string[]>>} without names where the whole module is missing */
export async function notOffered(imports) {
  const found = {};
  for (const [module, names] of Object.entries(imports)) {
    const all = await load(module).catch(() => undefined);
    if (isMissing(all)) {
      found[module] = [];
      continue;
    }
    const lacks = (name) => !(module.startsWith("node:") && name === "default") && isMissing(all[name]);
    const missing = names.filter(lacks);
    if (missing.length > 0) found[module] = missing;
  }
  return found;
}
