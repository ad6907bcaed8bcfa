/// <reference path="__TYPES__" />
// A command: /__NAME__ asks the model for a review of the changes that are not committed. What `execute` returns is sent to the model.
import type { CodeCommandFactory } from "@oh-my-pi/pi-coding-agent";

const command: CodeCommandFactory = (host) => ({
  name: "__NAME__",
  description: "Review the changes that are not committed",
  async execute(args, ctx) {
    const diff = await host.exec("git", ["diff", "HEAD"], { cwd: host.cwd });
    if (diff.code !== 0 || diff.stdout.trim() === "") {
      ctx.ui.notify("Nothing to review", "info");
      return;
    }
    const wish = args.length === 0 ? "Look for mistakes." : args.join(" ");
    return `Review these changes. ${wish}\n\n${diff.stdout}`;
  },
});

export default command;
