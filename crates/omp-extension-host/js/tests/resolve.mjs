// Resolves `omp:` as the engine does: `omp:tui/NAME` and the others are files, `omp:host` is a host for tests.

import { pathToFileURL } from "node:url";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");

export async function resolve(specifier, context, next) {
  if (specifier === "omp:host") return { url: pathToFileURL(path.join(root, "tests/host.mjs")).href, shortCircuit: true };
  const found = /^omp:(tui|ui|lib)\/([a-z0-9-]+)$/.exec(specifier);
  if (!found) return next(specifier, context);
  return { url: pathToFileURL(path.join(root, found[1], `${found[2]}.js`)).href, shortCircuit: true };
}

// The files are ES modules without a package.json that says so.
export async function load(url, context, next) {
  return next(url, url.startsWith("file:") && url.endsWith(".js") && (url.includes("/omp-extension-host/js/") || url.includes("/third-party/zod/")) ? { ...context, format: "module" } : context);
}
