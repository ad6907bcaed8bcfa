// Packages nobody here wrote, at pinned versions, in a directory outside the tree. `./run` fills it.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

export const cache = process.env.OMP_JS_CACHE;

/** A path in the cache, or undefined: then the test is skipped, and `./run` has said so. */
export function cached(...parts) {
  const found = cache && path.join(cache, ...parts);
  return found && fs.existsSync(found) ? found : undefined;
}

export function why(found) {
  return found ? false : "OMP_JS_CACHE has no copy of the package: see js/tests/run";
}

export async function load(file) {
  return import(pathToFileURL(file).href);
}

/** The interface library of pi 1.5.0. It is published only inside the program's bundle, where one chunk exports all of it. */
export async function originalTui() {
  const chunks = cached("pi", "dist", "bundle", "chunks");
  if (!chunks) return undefined;
  for (const name of fs.readdirSync(chunks).sort()) {
    const file = path.join(chunks, name);
    const text = fs.readFileSync(file, "utf8");
    if (!text.includes("renderFakeCursor:()=>") || !/export\s*\{[^}]*dist_exports/.test(text)) continue;
    return (await load(file)).dist_exports;
  }
  throw new Error("no chunk of pi exports its interface library");
}
