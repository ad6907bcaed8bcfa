// Tells events of one tool from those of others.

const about = (name) => (event) => event?.toolName === name;

export const isToolCallEventType = (name, event) => event?.toolName === name;
export const isBashToolResult = about("bash");
export const isReadToolResult = about("read");
export const isEditToolResult = about("edit");
export const isWriteToolResult = about("write");
export const isGrepToolResult = about("grep");
export const isFindToolResult = about("find");
export const isLsToolResult = about("ls");
