// Loads TypeScript, with the packages that extensions import replaced by these modules.

import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = import.meta.dirname;
const modules = JSON.parse(fs.readFileSync(path.join(here, "../modules.json"), "utf8"));
const SCOPES = /^@(?:oh-my-pi|mariozechner|earendil-works)\/pi-([\w-]+)(?:\/.*)?$/;
const IMPORT = /^import\s+(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}|\*\s+as\s+([\w$]+))?\s*from\s*"([^"]+)";?$/gm;
const { transformSync } = createRequire(path.join(process.env.OMP_JS_CACHE, "node_modules/x.js"))("esbuild");

const isOriginal = (specifier) => process.env.OMP_JS_ORIGINAL === "1" && specifier.endsWith("/pi-tui");

function target(specifier) {
  if (isOriginal(specifier)) return pathToFileURL(path.join(here, "original.mjs")).href;
  if (modules[specifier]) return modules[specifier];
  const name = SCOPES.exec(specifier)?.[1];
  return name === "coding-agent" ? "omp:ui/index" : name ? "omp:lib/typebox" : undefined;
}

export async function resolve(specifier, context, next) {
  if (specifier.startsWith("third-party/")) {
    return { url: pathToFileURL(path.join(here, "../../../..", specifier)).href, format: "module", shortCircuit: true };
  }
  try {
    return await next(specifier, context);
  } catch (error) {
    const file = context.parentURL && path.resolve(path.dirname(fileURLToPath(context.parentURL)), specifier.replace(/\.js$/, ".ts"));
    if (file && fs.existsSync(file)) return { url: pathToFileURL(file).href, shortCircuit: true };
    throw error;
  }
}

function rewritten(_, fallback, named, whole, specifier) {
  const to = target(specifier);
  if (!to) return _;
  const variable = `m${Math.abs([...specifier].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7))}${(named ?? whole ?? fallback).length}`;
  const module = isOriginal(specifier) ? `${variable}.tui` : variable;
  const names = (named ?? "").split(",").map((name) => name.trim().replace(" as ", ": ")).filter(Boolean).join(", ");
  const lines = [`import * as ${variable} from "${to}"; import { offered as o${variable} } from "${pathToFileURL(path.join(here, "stubs.mjs")).href}";`];
  if (names) lines.push(`const { ${names} } = o${variable}(${module}, "${specifier}");`);
  if (whole) lines.push(`const ${whole} = o${variable}(${module}, "${specifier}");`);
  if (fallback) lines.push(`const ${fallback} = ${variable}.default ?? ${variable};`);
  return lines.join(" ");
}

export async function load(url, context, next) {
  if (url.endsWith(".js") && url.includes("/third-party/")) return next(url, { ...context, format: "module" });
  if (!/\.tsx?$/.test(url)) return next(url, context);
  const { code } = transformSync(fs.readFileSync(fileURLToPath(url), "utf8"), { loader: "ts", format: "esm", target: "es2023" });
  return { format: "module", shortCircuit: true, source: code.replace(IMPORT, rewritten) };
}
