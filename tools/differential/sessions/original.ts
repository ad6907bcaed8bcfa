// The original's side: writes sessions by its own session manager, and says what a model would be told of a file.
// Cases are lines of JSON, answered by one line each.
import * as path from "node:path";
import { serve } from "../serve.ts";

const session = path.join(process.argv[2], "node_modules/@oh-my-pi/pi-coding-agent/src/session");
const { SessionManager } = await import(path.join(session, "session-manager.ts"));
const { convertToLlm } = await import(path.join(session, "messages.ts"));
const { FileSessionStorage } = await import(path.join(session, "session-storage.ts"));

type Step = [string, ...any[]];

async function write(manager: any, steps: Step[]): Promise<void> {
	const ids: (string | undefined)[] = [];
	for (const [what, ...given] of steps) {
		ids.push(await one(manager, what, given, ids));
	}
	await manager.flush();
}

async function one(manager: any, what: string, given: any[], ids: (string | undefined)[]): Promise<string | undefined> {
	switch (what) {
		case "message":
			return manager.appendMessage(given[0]);
		case "compaction":
			return manager.appendCompaction(given[0], given[1] ?? undefined, given[2] === null ? "nothing" : ids[given[2]], given[3], undefined, undefined, given[4] ?? undefined);
		case "custom":
			return manager.appendCustomEntry(given[0], given[1]);
		case "custom_message":
			return manager.appendCustomMessageEntry(given[0], given[1], given[2], undefined, given[3]);
		case "label":
			return manager.appendLabelChange(ids[given[0]], given[1] ?? undefined);
		case "model":
			return manager.appendModelChange(given[0], given[1] ?? undefined);
		case "thinking":
			return manager.appendThinkingLevelChange(given[0] ?? undefined, given[1] ?? undefined);
		case "tier":
			return manager.appendServiceTierChange(given[0]);
		case "mode":
			return manager.appendModeChange(given[0]);
		case "ttsr":
			return manager.appendTtsrInjection(given[0]);
		case "pin":
			return manager.appendCredentialPin(given[0], given[1]);
		case "reset":
			return manager.appendResetBoundary();
		case "branch":
			manager.branch(ids[given[0]]);
			return undefined;
		case "root":
			manager.resetLeaf();
			return undefined;
		case "branch_summary":
			return manager.branchWithSummary(given[0] === null ? null : ids[given[0]], given[1], given[2] ?? undefined);
		case "title":
			await manager.setSessionName(given[0], given[1]);
			return undefined;
		default:
			throw new Error(`no step ${what}`);
	}
}

const part = (block: any) => (block.type === "image" ? ["image", block.mimeType, block.data] : ["text", block.text]);
const parts = (content: any) => (typeof content === "string" ? [["text", content]] : content.map(part));

function answered(block: any): any {
	switch (block.type) {
		case "text":
			return ["text", block.text];
		case "thinking":
			return ["thinking", block.thinking, block.thinkingSignature ?? null];
		case "toolCall":
			return ["call", block.id, block.name, block.arguments];
		default:
			return [block.type];
	}
}

function told(message: any): any {
	switch (message.role) {
		case "assistant":
			return { role: "assistant", stop: message.stopReason, parts: message.content.map(answered) };
		case "toolResult":
			return { role: "result", call: message.toolCallId, failed: message.isError, parts: parts(message.content) };
		default:
			return { role: message.role, parts: parts(message.content) };
	}
}

async function read(file: string): Promise<any> {
	const directory = path.dirname(file);
	const manager = await SessionManager.open(file, directory, new FileSessionStorage(), { initialCwd: directory, suppressBreadcrumb: true });
	const context = manager.buildSessionContext();
	const labels = manager.getEntries().flatMap((entry: any) => (manager.getLabel(entry.id) ? [[entry.id, manager.getLabel(entry.id)]] : []));
	const answer = {
		messages: convertToLlm(context.messages).map(told),
		title: manager.getSessionName() ?? null,
		model: context.models.default ?? null,
		thinking: context.configuredThinkingLevel ?? context.thinkingLevel,
		mode: context.mode,
		rules: context.injectedTtsrRules,
		labels: labels.sort(),
		entries: manager.getEntries().length,
	};
	await manager.close();
	return answer;
}

async function answer(job: any): Promise<any> {
	if (job.read) return await read(job.read);
	if (job.go_on) {
		const directory = path.dirname(job.go_on);
		const manager = await SessionManager.open(job.go_on, directory, new FileSessionStorage(), { initialCwd: directory, suppressBreadcrumb: true });
		await write(manager, job.steps);
		await manager.close();
		return { file: job.go_on };
	}
	const manager = SessionManager.create(job.directory, job.directory);
	await write(manager, job.steps);
	const file = manager.getSessionFile();
	await manager.close();
	return { file };
}

await serve(answer);
