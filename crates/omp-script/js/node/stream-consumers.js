const buffer = async (stream) => { const parts = []; for await (const chunk of stream) parts.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk); return Buffer.concat(parts); };
const text = async (stream) => (await buffer(stream)).toString();
module.exports = { buffer, text, json: async (stream) => JSON.parse(await text(stream)), arrayBuffer: async (stream) => Uint8Array.from(await buffer(stream)).buffer, blob: async (stream) => new Blob([await buffer(stream)]) };
