import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};
/** The page at /docs: our own frame around Swagger UI from its npm package, so that it works offline. */
const pageFile = 'page.html';
const ownFiles = [
  'page.css',
  'theme.js',
  'start.js',
  'credential.js',
  'examples.js',
  'layout.js',
  'sections.js',
];
const fromPackage = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends the page, or one of its files by name; false if there is no such file. */
export function sendDocs(req: IncomingMessage, res: ServerResponse, file: string = pageFile): boolean {
  const isListed = file === pageFile || ownFiles.includes(file) || fromPackage.includes(file);
  if (isListed) contentOf(file).then((content) => send(req, res, file, content), res.destroy.bind(res));
  return isListed;
}

function send(req: IncomingMessage, res: ServerResponse, file: string, { plain, compressed }: Content) {
  const isCompressed = /\bgzip\b/.test(req.headers['accept-encoding'] ?? '');
  const content = isCompressed ? compressed : plain;
  res.writeHead(200, {
    'Content-Type': types[extname(file)] ?? 'application/octet-stream',
    'Content-Length': content.length,
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    Vary: 'Accept-Encoding',
    'Content-Security-Policy': policy,
    'Cache-Control': 'public, max-age=3600',
  });
  res.end(content);
}

interface Content {
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

const cache = new Map<string, Promise<Content>>();

// Only listed file names are read, so that a requested name cannot be a path.
function contentOf(file: string): Promise<Content> {
  const content = cache.get(file) ?? read(file);
  cache.set(file, content);
  return content;
}

async function read(file: string): Promise<Content> {
  const folder = fromPackage.includes(file) ? packageFolder() : import.meta.dirname;
  const plain = await readFile(join(folder, file));
  return { plain, compressed: await promisify(gzip)(plain) };
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
