/** Limits for bodies whose JSON values would take far more memory than their text. Devices send no such bodies. */

const comma = ','.charCodeAt(0);
const openBrace = '{'.charCodeAt(0);
const openBracket = '['.charCodeAt(0);
const bytesPerValue = 32;
const bytesPerContainer = 64;
const mostParsedBytes = 512 * 1024 * 1024;

/** 100 MB of the smallest real items are 400,000. Each item costs a stub. */
export const mostItemsRead = 1_000_000;
/** The top-level keys of a body name data types. */
export const mostKeysRead = 10_000;

/** Thrown if a body has more values than the limits allow. */
export class TooManyValues extends Error {}

/**
 * Whether parsed values would take more than 512 MiB, estimated from commas and opening brackets. 128 MiB of heart-rate
 * maps take 390 MB. 128 MiB of `{},` would take 4 GB and end the reading thread.
 */
export function isTooDense(bytes: Uint8Array): boolean {
  let parsedBytes = 0;
  // An indexed loop: an iterator over 128 MiB takes five times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === comma) parsedBytes += bytesPerValue;
    else if (byte === openBrace || byte === openBracket) parsedBytes += bytesPerContainer;
    if (parsedBytes > mostParsedBytes) return true;
  }
  return false;
}
