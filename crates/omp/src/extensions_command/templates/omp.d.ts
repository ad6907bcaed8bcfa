// Types for extensions, hooks and tools of omp, as far as the examples need them; docs/extensions.md describes the rest. Written by
// `omp extensions new`, which never changes it again: add what you miss.

declare module "@oh-my-pi/pi-coding-agent" {
  type Text = { type: "text"; text: string };
  type Image = { type: "image"; data: string; mimeType: string };
  /** Values that JSON can hold. */
  type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

  export interface ToolResult {
    content: (Text | Image)[];
    /** For renderers and the session file; the model does not see it. */
    details?: unknown;
    isError?: boolean;
  }

  export interface ExecOptions {
    cwd?: string;
    env?: Record<string, string>;
    /** Milliseconds. */
    timeout?: number;
    signal?: AbortSignal;
    input?: string;
  }

  export interface ExecResult {
    stdout: string;
    stderr: string;
    code: number;
    killed: boolean;
  }

  type Exec = (program: string, args?: string[], options?: ExecOptions) => Promise<ExecResult>;
  type Tier = "read" | "write" | "exec";

  interface DialogOptions {
    signal?: AbortSignal;
    /** Milliseconds. */
    timeout?: number;
  }

  /** Without an interface (`hasUI` is false) questions are answered with nothing, and `confirm` with false. */
  export interface ExtensionUi {
    notify(message: string, type?: "info" | "warning" | "error"): void;
    select(title: string, options: string[], dialog?: DialogOptions): Promise<string | undefined>;
    confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
    input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
    editor(title: string, prefill?: string): Promise<string | undefined>;
    setStatus(key: string, text: string | undefined): void;
    setWidget(key: string, lines: string[] | undefined, options?: { placement?: "aboveEditor" | "belowEditor" }): void;
    setTitle(title: string): void;
    setEditorText(text: string): void;
    getEditorText(): string;
    [more: string]: any;
  }

  export interface ExtensionContext {
    ui: ExtensionUi;
    hasUI: boolean;
    mode: "tui" | "rpc" | "json" | "print";
    cwd: string;
    /** Entries of the session's file, read only. */
    sessionManager: { getEntries(): any[]; getBranch(): any[]; getSessionFile(): string | undefined; [more: string]: any };
    model: { provider: string; id: string; [more: string]: unknown } | undefined;
    isIdle(): boolean;
    abort(): void;
    shutdown(): void;
    getContextUsage(): { tokens: number; contextWindow: number; percent: number } | undefined;
    [more: string]: any;
  }

  /** In a command: it can lead to another session and continues there. */
  export interface CommandContext extends ExtensionContext {
    waitForIdle(): Promise<void>;
    newSession(): Promise<{ cancelled: boolean }>;
    switchSession(path: string): Promise<{ cancelled: boolean }>;
    branch(entryId: string): Promise<{ cancelled: boolean }>;
    reload(): Promise<void>;
  }

  export interface Tool<Parameters = any> {
    /** What the model calls. */
    name: string;
    /** What people read. */
    label?: string;
    description: string;
    /** JSON Schema, a TypeBox type, or a zod type. */
    parameters: object;
    /** How much a call can do, for approvals; `exec` if nothing is said. */
    approval?: Tier;
    execute(
      id: string,
      params: Parameters,
      signal: AbortSignal,
      onUpdate: ((partial: ToolResult) => void) | undefined,
      ctx: ExtensionContext,
    ): Promise<ToolResult | string>;
  }

  interface ToolCallEvent {
    toolName: string;
    toolCallId: string;
    input: Record<string, any>;
  }

  interface ToolResultEvent extends ToolCallEvent {
    content: (Text | Image)[];
    details: unknown;
    isError: boolean;
  }

  /** Events with an answer. All others are told, and what a handler returns does not count. */
  interface AnsweredEvents {
    tool_call: [ToolCallEvent, { block: boolean; reason?: string }];
    tool_result: [ToolResultEvent, { content?: string | (Text | Image)[]; details?: unknown; isError?: boolean }];
    context: [{ messages: any[] }, { messages: any[] }];
    before_agent_start: [{ prompt: string; systemPrompt: string[] }, { systemPrompt?: string[]; message?: CustomMessage }];
    input: [{ text: string }, { action: "continue" | "handled" } | { action: "transform"; text: string }];
  }

  interface CustomMessage {
    customType: string;
    content: string | (Text | Image)[];
    display?: boolean;
    details?: unknown;
  }

  type Maybe<T> = T | undefined | void | Promise<T | undefined | void>;

  export interface ExtensionAPI {
    on<Name extends keyof AnsweredEvents>(
      event: Name,
      handler: (event: AnsweredEvents[Name][0], ctx: ExtensionContext) => Maybe<AnsweredEvents[Name][1]>,
    ): () => void;
    on(event: string, handler: (event: any, ctx: ExtensionContext) => unknown): () => void;
    registerTool<Parameters>(tool: Tool<Parameters>): void;
    registerCommand(
      name: string,
      command: { description?: string; handler(args: string, ctx: CommandContext): Promise<void> | void },
    ): void;
    registerShortcut(key: string, shortcut: { description?: string; handler(ctx: ExtensionContext): unknown }): void;
    registerFlag(name: string, flag: { description?: string; type: "boolean" | "string"; default?: boolean | string }): void;
    getFlag(name: string): boolean | string | undefined;
    exec: Exec;
    /** A prompt, as if you had typed it. */
    sendUserMessage(content: string, options?: { deliverAs?: "steer" | "followUp" }): void;
    sendMessage(message: CustomMessage, options?: { triggerTurn?: boolean; deliverAs?: "steer" | "followUp" | "nextTurn" }): void;
    /** Data in the session's file that no model sees. */
    appendEntry(type: string, data?: Json): void;
    logger: { debug(...words: unknown[]): void; info(...words: unknown[]): void; warn(...words: unknown[]): void; error(...words: unknown[]): void };
    /** zod 4. */
    zod: any;
    typebox: any;
    [more: string]: any;
  }

  export interface CustomToolHost {
    cwd: string;
    exec: Exec;
    ui: ExtensionUi;
    hasUI: boolean;
    logger: ExtensionAPI["logger"];
    zod: any;
    typebox: any;
  }

  /** Custom tools have another order of arguments than tools of extensions. */
  export interface CustomTool<Parameters = any> extends Omit<Tool<Parameters>, "execute"> {
    execute(
      id: string,
      params: Parameters,
      onUpdate: ((partial: ToolResult) => void) | undefined,
      ctx: ExtensionContext,
      signal: AbortSignal,
    ): Promise<ToolResult | string>;
  }

  export interface CodeCommandHost {
    cwd: string;
    exec: Exec;
    logger: ExtensionAPI["logger"];
    zod: any;
    typebox: any;
  }

  /** A command in code, in `commands/NAME/index.ts`. A text that it returns is sent to the model. */
  export interface CodeCommand {
    name?: string;
    description?: string;
    execute(args: string[], ctx: CommandContext): Promise<string | void> | string | void;
  }

  export type CodeCommandFactory = (host: CodeCommandHost) => CodeCommand | CodeCommand[] | Promise<CodeCommand | CodeCommand[]>;

  type Made = CustomTool | CustomTool[];
  export type CustomToolFactory = (host: CustomToolHost) => Made | Promise<Made>;
}
