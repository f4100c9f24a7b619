import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isHead } from '../pipeline/head.ts';

const chunkBytes = 64 * 1024;

/** The media type of JSON values, one a line. */
export const ndjsonType = 'application/x-ndjson; charset=utf-8';

/** How lines are sent. */
export interface LineForm {
  readonly contentType: string;
  /** Under which name a browser saves them. */
  readonly fileName?: string;
  /** A line with its end; JSON where it is left out. */
  readonly toText?: (line: unknown) => string;
}

/**
 * Sends lines no faster than the client reads. What fails before the first line is thrown and answered as usual; what
 * fails later can only cut the answer short, which the client sees as such. HEAD is answered with the headers alone.
 */
export async function streamLines(
  res: ServerResponse,
  lines: AsyncGenerator<unknown>,
  { contentType, fileName, toText = toJson }: LineForm = { contentType: ndjsonType },
): Promise<void> {
  const first = await lines.next();
  if (fileName !== undefined) res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
  res.writeHead(200, { 'Content-Type': contentType });
  if (isHead(res)) {
    await lines.return(undefined);
    return void res.end();
  }
  try {
    let pending = first.done === true ? '' : toText(first.value);
    for await (const line of lines) {
      pending += toText(line);
      if (pending.length < chunkBytes) continue;
      if (!(await write(res, pending))) return;
      pending = '';
    }
    res.end(pending);
  } catch {
    res.destroy();
  }
}

const toJson = (line: unknown) => `${JSON.stringify(line)}\n`;

// False when the client has gone: nothing more is read for it.
async function write(res: ServerResponse, text: string): Promise<boolean> {
  if (res.closed || res.destroyed) return false;
  if (res.write(text)) return true;
  const gone = new AbortController();
  const leave = () => gone.abort();
  res.once('close', leave);
  try {
    await once(res, 'drain', { signal: gone.signal });
    return true;
  } catch {
    return false;
  } finally {
    res.off('close', leave);
  }
}
