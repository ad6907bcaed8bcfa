// The original's side: the effective values of settings that a `config.yml` gives. Cases are lines of JSON, answered by
// one line each; `{}` asks for its schema.
import * as path from "node:path";
import { serve } from "../serve.ts";

const config = path.join(process.argv[2], "node_modules/@oh-my-pi/pi-coding-agent/src/config");
const { SETTINGS_SCHEMA } = await import(path.join(config, "settings-schema.ts"));
const { Settings } = await import(path.join(config, "settings.ts"));

async function answer(job: any): Promise<any> {
	if (!job.home) {
		return Object.entries(SETTINGS_SCHEMA).map(([name, row]: [string, any]) => [name, row.type, row.values ?? null]);
	}
	const settings = await Settings.loadReadOnly({ cwd: job.home, agentDir: path.join(job.home, ".omp/agent") });
	return { values: Object.fromEntries(job.ask.map((name: string) => [name, settings.get(name) ?? null])) };
}

await serve(answer);
