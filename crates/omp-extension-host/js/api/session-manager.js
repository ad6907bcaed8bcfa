// The session's file as extensions read it: entries as they stand in the file, each call a copy.

export function makeSessionManager(now) {
  const entries = () => now("entries.all") ?? [];
  const entry = (id) => entries().find((one) => one.id === id);
  return {
    getCwd: () => now("session.cwd"),
    getSessionDir: () => now("session.directory"),
    getSessionId: () => now("session.id"),
    getSessionFile: () => now("session.file") ?? undefined,
    getSessionName: () => now("session.name") ?? undefined,
    getHeader: () => now("session.header") ?? null,
    getLeafId: () => now("entries.leaf") ?? null,
    getLeafEntry: () => entry(now("entries.leaf")),
    getEntry: (id) => entry(id),
    getEntries: entries,
    getBranch: (fromId) => now("entries.branch", { from: fromId }) ?? [],
    getChildren: (id) => entries().filter((one) => one.parentId === id),
    getLabel: (id) => labels(entries()).get(id),
    getTree: () => tree(entries()),
    isPersisted: () => now("session.file") != null,
    buildSessionContext: () => ({ messages: now("session.messages") ?? [] }),
  };
}

function labels(entries) {
  const found = new Map();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label == null || entry.label === "") found.delete(entry.targetId);
    else found.set(entry.targetId, entry.label);
  }
  return found;
}

function tree(entries) {
  const names = labels(entries);
  const nodes = new Map(entries.map((entry) => [entry.id, { entry, children: [], label: names.get(entry.id) }]));
  const roots = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(node.entry.parentId);
    (parent?.children ?? roots).push(node);
  }
  return roots;
}
