/// <reference path="__TYPES__" />
// Asked before each call of the tool `__NAME__`, because that is the name of this file. If it throws, the call is not made.
import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";

const FORBIDDEN = [/\brm\s+-\w*[rf]/, /\bgit\s+push\b.*--force/];

export default function (pi: ExtensionAPI) {
  pi.on("tool_call", (event) => {
    const said = JSON.stringify(event.input);
    const found = FORBIDDEN.find((pattern) => pattern.test(said));
    if (found !== undefined) return { block: true, reason: `calls that match ${found} are not allowed here` };
  });
}
