/// <reference path="__TYPES__" />
// A command: /__NAME__ asks the model for a review of the changes that are not committed.
import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";

export default function (pi: ExtensionAPI) {
  pi.registerCommand("__NAME__", {
    description: "Review the changes that are not committed",
    handler: async (args, ctx) => {
      const diff = await pi.exec("git", ["diff", "HEAD"], { cwd: ctx.cwd });
      if (diff.code !== 0 || diff.stdout.trim() === "") {
        ctx.ui.notify("Nothing to review", "info");
        return;
      }
      const wish = args === "" ? "Look for mistakes." : args;
      pi.sendUserMessage(`Review these changes. ${wish}\n\n${diff.stdout}`);
    },
  });
}
