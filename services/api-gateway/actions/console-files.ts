import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { escaped } from '../rules/html.ts';

const folder = join(import.meta.dirname, '../../../console/dist');
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const policyFor = (ancestors: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`;
const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policyFor("'none'"),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};
const missingPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pulsebus</title></head>
<body><main><h1>The console is not built</h1>
<p>Run <code>npm run console</code> and reload this page. The API and its <a href="/docs">documentation</a> work without it.</p>
</main></body></html>
`;

/** Sends the page of the console, which is the same for all of its paths; 503 if it is not built. */
export function sendConsolePage(res: ServerResponse, status: 200 | 404 = 200): void {
  const page = builtPage();
  sendPage(res, page === null ? 503 : status, page ?? missingPage, pageHeaders);
}

/**
 * Sends the page of the console to be shown within pages of these origins. It has no session, so what the session has besides a
 * person is in a `meta` element of this name; 503 if the console is not built.
 */
export function sendEmbeddedPage(
  res: ServerResponse,
  origins: readonly string[],
  meta: { readonly name: string; readonly content: string },
): void {
  const page = builtPage();
  if (page === null) {
    sendPage(res, 503, missingPage, pageHeaders);
    return;
  }
  const element = `<meta name="${escaped(meta.name)}" content="${escaped(meta.content)}">\n</head>`;
  sendPage(
    res,
    200,
    page.replace('</head>', () => element),
    {
      ...pageHeaders,
      'Content-Security-Policy': policyFor(origins.join(' ')),
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  );
}

function builtPage(): string | null {
  const file = join(folder, 'index.html');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function sendPage(
  res: ServerResponse,
  status: number,
  page: string,
  headers: Readonly<Record<string, string>>,
): void {
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(page) });
  res.end(page);
}

interface Asset {
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

const cache = new Map<string, Asset>();

/** Sends a built file by name, compressed if the browser accepts it; false if there is no such file. */
export function sendConsoleFile(req: IncomingMessage, res: ServerResponse, name: string): boolean {
  const asset = assetOf(name);
  if (asset === null) return false;
  const isZipped = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''));
  const content = isZipped ? asset.zipped : asset.plain;
  res.writeHead(200, {
    'Content-Type': types[extname(name)] ?? 'application/octet-stream',
    'Content-Length': content.length,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'public, max-age=31536000, immutable', // the name holds a hash of the content
    Vary: 'Accept-Encoding',
    ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
  });
  res.end(content);
  return true;
}

// Only names of the folder are read, so that a requested name cannot be a path.
function assetOf(name: string): Asset | null {
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const assets = join(folder, 'assets');
  if (!existsSync(assets) || !readdirSync(assets).includes(name)) return null;
  const plain = readFileSync(join(assets, name));
  const asset = { plain, zipped: gzipSync(plain, { level: 9 }) };
  cache.set(name, asset);
  return asset;
}
