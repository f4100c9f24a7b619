/** A copy of a text. A part of a text keeps the whole of it in memory: a value of a document the chunk that it was read from. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
