// `pi-utils` as extensions import it: a logger and colours.
export { logger } from "omp:api/extension";

const CODES = {
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], hidden: [8, 28],
  strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39],
  magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39], redBright: [91, 39],
  greenBright: [92, 39], yellowBright: [93, 39], blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39],
  whiteBright: [97, 39], bgBlack: [40, 49], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49],
  bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49],
};

function painter(styles) {
  const paint = (...texts) => {
    const text = texts.join(" ");
    const open = styles.map(([start]) => `\u001b[${start}m`).join("");
    const close = styles.toReversed().map(([, end]) => `\u001b[${end}m`).join("");
    return styles.length === 0 ? text : open + text + close;
  };
  const then = (style) => painter([...styles, style]);
  const rgb = (kind, end) => (r, g, b) => then([`${kind};2;${r};${g};${b}`, end]);
  const hex = (kind, end) => (code) => {
    const number = Number.parseInt(String(code).replace("#", ""), 16);
    return rgb(kind, end)((number >> 16) & 255, (number >> 8) & 255, number & 255);
  };
  return new Proxy(paint, {
    get(target, name) {
      if (Object.hasOwn(CODES, name)) return then(CODES[name]);
      const special = { rgb: rgb(38, 39), bgRgb: rgb(48, 49), hex: hex(38, 39), bgHex: hex(48, 49), level: 3 };
      return Object.hasOwn(special, name) ? special[name] : Reflect.get(target, name);
    },
  });
}

export const chalk = painter([]);
export default chalk;
