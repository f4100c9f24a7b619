import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

const chunkBytes = 64 * 1024;

/**
 * Sends values as JSON, one a line, no faster than the client reads. What fails before the first line is thrown
 * and answered as usual; what fails later can only cut the answer short, which the client sees as such.
 */
export async function streamLines(res: ServerResponse, lines: AsyncGenerator<unknown>): Promise<void> {
  const first = await lines.next();
  res.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  try {
    let pending = first.done === true ? '' : `${JSON.stringify(first.value)}\n`;
    for await (const line of lines) {
      pending += `${JSON.stringify(line)}\n`;
      if (pending.length < chunkBytes) continue;
      if (!(await write(res, pending))) return;
      pending = '';
    }
    res.end(pending);
  } catch {
    res.destroy();
  }
}

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
