/** Reads the answers of one connection: a header with a content length, followed by the body. */
export interface AnswerReader {
  /** Reads a chunk. Returns the status if the answer is complete, otherwise null. @throws Error if it is malformed */
  take(chunk: Buffer): number | null;
}

const headEnd = Buffer.from('\r\n\r\n');
const mostHeadBytes = 16_384;

/** A reader for the answers of one connection. */
export function answerReader(): AnswerReader {
  let head: Buffer | null = null;
  let status = 0;
  let missing = 0;
  return {
    take(chunk) {
      if (missing > 0) missing -= chunk.length;
      else {
        head = head === null ? chunk : Buffer.concat([head, chunk]);
        const end = head.indexOf(headEnd);
        if (end < 0 && head.length < mostHeadBytes) return null;
        const read = readHead(head.toString('latin1', 0, Math.max(0, end)));
        status = read.status;
        missing = read.length - (head.length - end - headEnd.length);
        head = null;
      }
      if (missing < 0) throw new Error('more came than one answer');
      return missing === 0 ? status : null;
    },
  };
}

function readHead(text: string): { status: number; length: number } {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (status === undefined || length === undefined) throw new Error('an answer without status or length');
  return { status: Number(status), length: Number(length) };
}
