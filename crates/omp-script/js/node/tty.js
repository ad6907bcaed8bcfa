// The terminal belongs to the program.
const { Readable, Writable } = require("stream");
class ReadStream extends Readable { isTTY = false; setRawMode() { return this; } }
class WriteStream extends Writable { isTTY = false; columns = 80; rows = 24; getColorDepth() { return 1; } hasColors() { return false; } }
module.exports = { isatty: () => false, ReadStream, WriteStream };
