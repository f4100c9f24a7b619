import type { ServerResponse } from 'node:http';

const heads = new WeakSet<ServerResponse>();

/** Marks an answer as that of a HEAD request, which is routed as a GET. */
export function markHead(res: ServerResponse): void {
  heads.add(res);
}

/** Whether an answer is to a HEAD request: Node.js sends its headers only. */
export function isHead(res: ServerResponse): boolean {
  return heads.has(res);
}
