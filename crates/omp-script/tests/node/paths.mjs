import path, { join, posix } from "node:path";
import * as all from "path";
const samples = ["", ".", "..", "/", "//", "a", "a/", "a/b", "/a/b.txt", "./a/../b", "../../x", "/a/../../b", "a//b/./c", ".bashrc", "file.tar.gz", "dir.d/", "a/b/..", "x.", "/.hidden/", "//server/share"];
for (const one of samples) {
  console.log(JSON.stringify([one, path.normalize(one), path.dirname(one), path.basename(one), path.extname(one), path.isAbsolute(one), path.parse(one), path.format(path.parse(one))]));
  console.log(path.resolve("/base/dir", one), path.join("p", one, "q"));
}
for (const [from, to] of [["/a/b/c", "/a/d"], ["/a", "/a"], ["/a/b", "/"], ["/", "/x/y"], ["/foo/bar", "/foo/barbaz"]]) console.log(path.relative(from, to));
console.log(path.basename("a.txt", ".txt"), path.basename("a.txt", "a.txt"), path.basename("a.txt/", "txt"), join(), posix === path, all.sep, all.delimiter, typeof all.default.join);
try { path.join(1); } catch (error) { console.log(error.name, error.code); }
