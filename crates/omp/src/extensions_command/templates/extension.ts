/// <reference path="__TYPES__" />
// Three parts: a tool for the model, a command for you, a handler of an event. Remove what you do not need.
// After a change: /reload-plugins. What went wrong: /extensions list, or omp extensions doctor.
import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  let turns = 0;

  pi.on("turn_end", () => {
    turns += 1;
  });

  pi.registerTool({
    name: "__TOOL__",
    label: "Count words",
    description: "Count the words of a text",
    approval: "read",
    parameters: {
      type: "object",
      properties: { text: { type: "string", description: "The text" } },
      required: ["text"],
    },
    async execute(_id, params: { text: string }) {
      const words = params.text.split(/\s+/).filter((word) => word !== "");
      return { content: [{ type: "text", text: `${words.length} words` }] };
    },
  });

  pi.registerCommand("__NAME__", {
    description: "Say how many turns there were",
    handler: async (args, ctx) => {
      ctx.ui.notify(`${turns} turns so far${args === "" ? "" : `, ${args}`}`, "info");
    },
  });
}
