// The interface library of pi in the place of ours, to compare what extensions draw with either.

import { originalTui } from "./cache.mjs";

export const tui = await originalTui();
