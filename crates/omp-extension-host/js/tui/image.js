/** Images as a line of text: extensions draw rows, and a row cannot hold an image of the terminal's protocols. */

import { truncateToWidth } from "omp:tui/slice";

const HEADER = 64 * 1024;

export class Image {
  #name;
  #mimeType;
  #theme;
  #size;

  constructor(base64, mimeType, theme, options = {}, dimensions = undefined) {
    this.#name = options.filename;
    this.#mimeType = mimeType;
    this.#theme = theme;
    this.#size = dimensions ?? getImageDimensions(base64, mimeType) ?? undefined;
  }

  getImageId() {
    return undefined;
  }

  invalidate() {}

  render(width) {
    const text = imageFallback(this.#mimeType, this.#size, this.#name);
    return [truncateToWidth(this.#theme.fallbackColor(text), width)];
  }
}

export function imageFallback(mimeType, dimensions = undefined, filename = undefined) {
  const size = dimensions ? [`${dimensions.widthPx}x${dimensions.heightPx}`] : [];
  return `[Image: ${[...(filename ? [filename] : []), `[${mimeType}]`, ...size].join(" ")}]`;
}

/** Nothing was sent to the terminal that would have to be deleted. */
export function deleteKittyImage() {
  return "";
}

export const deleteAllKittyImages = deleteKittyImage;

/** `{ widthPx, heightPx }` from the header of an image, or null. */
export function getImageDimensions(base64, mimeType) {
  const read = { "image/png": png, "image/gif": gif, "image/jpeg": jpeg, "image/webp": webp }[mimeType];
  try {
    const text = atob(String(base64).slice(0, HEADER));
    const found = read?.({
      at: (index) => text.charCodeAt(index),
      text: (from, to) => text.slice(from, to),
      big: (index) => (text.charCodeAt(index) << 8) | text.charCodeAt(index + 1),
      little: (index) => text.charCodeAt(index) | (text.charCodeAt(index + 1) << 8),
      length: text.length,
    });
    return found && Number.isFinite(found[0]) ? { widthPx: found[0], heightPx: found[1] } : null;
  } catch {
    return null;
  }
}

export const getPngDimensions = (base64) => getImageDimensions(base64, "image/png");
export const getGifDimensions = (base64) => getImageDimensions(base64, "image/gif");
export const getJpegDimensions = (base64) => getImageDimensions(base64, "image/jpeg");
export const getWebpDimensions = (base64) => getImageDimensions(base64, "image/webp");

function png(bytes) {
  if (bytes.text(1, 4) !== "PNG") return undefined;
  return [(bytes.big(16) << 16) | bytes.big(18), (bytes.big(20) << 16) | bytes.big(22)];
}

function gif(bytes) {
  return bytes.text(0, 3) === "GIF" ? [bytes.little(6), bytes.little(8)] : undefined;
}

function jpeg(bytes) {
  if (bytes.big(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < bytes.length && bytes.at(at) === 0xff; at += 2 + Math.max(2, bytes.big(at + 2))) {
    const marker = bytes.at(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.big(at + 7), bytes.big(at + 5)];
  }
  return undefined;
}

function webp(bytes) {
  if (bytes.text(0, 4) !== "RIFF" || bytes.text(8, 12) !== "WEBP") return undefined;
  const kind = bytes.text(12, 16);
  if (kind === "VP8 ") return [bytes.little(26) & 0x3fff, bytes.little(28) & 0x3fff];
  if (kind === "VP8X") return [1 + bytes.little(24) + (bytes.at(26) << 16), 1 + bytes.little(27) + (bytes.at(29) << 16)];
  if (kind !== "VP8L") return undefined;
  const [low, high] = [bytes.little(21), bytes.little(23)];
  return [1 + (low & 0x3fff), 1 + ((low >> 14) | ((high & 0xfff) << 2))];
}
