import { Buffer as Own } from "buffer";
const text = "héllo wörld ✓ 🎉";
for (const encoding of ["utf8", "hex", "base64", "base64url", "latin1", "ascii", "utf16le", "binary"]) {
  const encoded = Buffer.from(text).toString(encoding);
  console.log(encoding, JSON.stringify(encoded), Buffer.from(encoded, encoding).length, Buffer.byteLength(text, encoding));
}
console.log(Own === Buffer, Buffer.from("abc"), Buffer.alloc(3, "ab"), Buffer.from([1, 2, 300]), Buffer.concat([Buffer.from("a"), Buffer.from("bc")]));
console.log(Buffer.from("zz", "hex").length, Buffer.from("abc=d", "base64"), Buffer.from("_-8", "base64"));
const numbers = Buffer.alloc(40);
numbers.writeUInt8(200, 0); numbers.writeInt8(-5, 1); numbers.writeUInt16LE(60000, 2); numbers.writeUInt16BE(60000, 4); numbers.writeInt32LE(-70000, 6); numbers.writeUInt32BE(4000000000, 10);
numbers.writeDoubleLE(Math.PI, 14); numbers.writeFloatBE(1.5, 22); numbers.writeBigInt64LE(-5n, 26); numbers.writeUIntBE(0x123456, 34, 3); numbers.writeIntLE(-2, 37, 3);
console.log(numbers.toString("hex"), numbers.readInt32LE(6), numbers.readDoubleLE(14), numbers.readBigInt64LE(26), numbers.readUIntBE(34, 3), numbers.readIntLE(37, 3), numbers.readUint16BE(4));
for (const wrong of [() => numbers.readUInt32LE(39), () => numbers.writeUInt8(256), () => Buffer.from(5), () => Buffer.from(null), () => Buffer.alloc("x"), () => Buffer.from("a", "nothing")]) {
  try { wrong(); console.log("nothing"); } catch (error) { console.log(error.name, error.code, error.message); }
}
const words = Buffer.from("the quick brown the");
console.log(words.indexOf("the", 1), words.lastIndexOf("the"), words.includes("quick"), words.indexOf(113), words.slice(4, 9).toString(), words.subarray(-3).toString(), words.equals(Buffer.from(words)), Buffer.compare(words, Buffer.from("a")));
const shared = words.subarray(0, 3); shared[0] = 84; console.log(words.toString(), words.toJSON().data.length, JSON.stringify(Buffer.from("hi")), words.fill("xy", 4, 9).toString(), words.write("🎉🎉", 15), words.copy(Buffer.alloc(2), 0, 1));
console.log(Buffer.isBuffer(words), Buffer.isBuffer(new Uint8Array(1)), words instanceof Uint8Array, atob("aGk="), btoa("hi"), Buffer.from("00ff10", "hex").swap16 !== undefined, [...Buffer.from("ab").entries()]);
const decoder = new TextDecoder(); const bytes = new TextEncoder().encode("a€b"); console.log(decoder.decode(bytes.slice(0, 2), { stream: true }) + "|" + decoder.decode(bytes.slice(2)), new TextDecoder("utf-16le").decode(new Uint8Array([65, 0, 66, 0])), new TextDecoder().decode(new Uint8Array([0xff, 65])), new TextEncoder().encode("\ud800").length);
try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff])); } catch (error) { console.log(error.name, error.code); }
