/** Bodies whose JSON values would take far more memory than their text; no device sends such. */

const comma = ','.charCodeAt(0);
const openBrace = '{'.charCodeAt(0);
const openBracket = '['.charCodeAt(0);
const bytesPerValue = 32;
const bytesPerContainer = 64;
const mostParsedBytes = 512 * 1024 * 1024;

/** More items than 100 MB of the smallest real ones hold (400,000). Each costs a stand-in. */
export const mostItemsRead = 1_000_000;
/** The top-level keys of a body name data types. */
export const mostKeysRead = 10_000;

/** Thrown where counting finds more than is read. */
export class TooManyValues extends Error {}

/**
 * Whether parsed values would take more than 512 MiB, reckoned from commas and opening brackets. 128 MiB of
 * heart-rate maps come to 390 MB; 128 MiB of `{},` would take 4 GB, and the thread that reads them would end.
 */
export function isTooDense(bytes: Uint8Array): boolean {
  let parsedBytes = 0;
  // An iterator would take five times as long: this is one step for each byte of 128 MiB.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === comma) parsedBytes += bytesPerValue;
    else if (byte === openBrace || byte === openBracket) parsedBytes += bytesPerContainer;
    if (parsedBytes > mostParsedBytes) return true;
  }
  return false;
}
