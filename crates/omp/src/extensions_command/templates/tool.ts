/// <reference path="__TYPES__" />
// A tool for the model. The name of the function does not matter; what it returns is the tool, or a list of tools.
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent";

const tool: CustomToolFactory = (host) => ({
  name: "__TOOL__",
  label: "Lines of code",
  description: "Count the files and lines that git tracks below a directory",
  approval: "read",
  parameters: {
    type: "object",
    properties: { directory: { type: "string", description: "Directory, relative to the working directory" } },
    required: ["directory"],
  },
  async execute(_id, params: { directory: string }, onUpdate, _context, signal) {
    onUpdate?.({ content: [{ type: "text", text: "Counting…" }] });
    const listed = await host.exec("git", ["ls-files", "-z", "--", params.directory], { cwd: host.cwd, signal });
    if (listed.code !== 0) throw new Error(listed.stderr.trim());
    const files = listed.stdout.split("\0").filter((file) => file !== "");
    const counted = await host.exec("wc", ["-l", "--", ...files, "/dev/null"], { cwd: host.cwd, signal });
    const total = counted.stdout.trim().split("\n").at(-1)?.trim().split(" ")[0] ?? "0";
    return { content: [{ type: "text", text: `${files.length} files, ${total} lines` }], details: { files: files.length } };
  },
});

export default tool;
