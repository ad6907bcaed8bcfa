// `pi-agent-core` as extensions import it. Its agent is omp's own; only the data is shared.

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
export { convertToLlm } from "omp:modules/transcript";
