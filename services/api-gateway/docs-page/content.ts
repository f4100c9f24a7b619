import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The content of a file of the documentation, and its media type. */
export interface Content {
  readonly type: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

/** Compresses a content once, so that it is kept in both forms. */
export async function contentFrom(type: string, text: string | Buffer): Promise<Content> {
  const plain = Buffer.from(text);
  return { type, plain, compressed: await promisify(gzip)(plain) };
}

/** Sends a content, compressed if the client accepts it. */
export function sendContent(
  req: IncomingMessage,
  res: ServerResponse,
  { type, plain, compressed }: Content,
  status: 200 | 404 = 200,
): void {
  const isCompressed = /\bgzip\b/.test(req.headers['accept-encoding'] ?? '');
  const content = isCompressed ? compressed : plain;
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': content.length,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    Vary: 'Accept-Encoding',
    'Content-Security-Policy': policy,
    'Cache-Control': status === 200 ? 'public, max-age=3600' : 'no-store',
  });
  res.end(content);
}
