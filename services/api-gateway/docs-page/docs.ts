import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { guidePage, missingPage, type Navigation, referencePage } from './frame.ts';
import { allGuides, guidePath } from './guides.ts';
import { referenceOf } from './reference.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
};
const ownFiles = [
  'page.css',
  'guide.css',
  'theme.js',
  'start.js',
  'guide.js',
  'code.js',
  'search.js',
  'credential.js',
  'kept-credential.js',
  'examples.js',
  'layout.js',
  'sections.js',
];
const imageFolder = join(import.meta.dirname, '../../../docs/images');
const fromPackage = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Makes the OpenAPI document, which the navigation lists. */
type Document = () => unknown;

/**
 * The page at /docs, our own frame around Swagger UI from its npm package, so that it works offline; or one of its files
 * by name. False if there is no such file.
 */
export function sendDocs(
  req: IncomingMessage,
  res: ServerResponse,
  document: Document,
  file?: string,
): boolean {
  if (file === undefined) return sendMade(req, res, 'reference', () => referenceContent(document));
  if (file === 'guides.json') return sendMade(req, res, file, searchContent);
  const from = fromPackage.includes(file)
    ? packageFolder()
    : ownFiles.includes(file)
      ? import.meta.dirname
      : null;
  return from !== null && sendMade(req, res, file, () => fileContent(join(from, file)));
}

/** Sends a guide by name, or the page for unknown names with 404. */
export function sendGuide(req: IncomingMessage, res: ServerResponse, document: Document, name: string): void {
  const send = async () => {
    const guides = await allGuides();
    const isKnown = guides.some((guide) => guide.name === name);
    const page = isKnown ? name : '';
    sendContent(
      req,
      res,
      await kept(`guide ${page}`, () => guideContent(document, page)),
      isKnown ? 200 : 404,
    );
  };
  send().catch(res.destroy.bind(res));
}

/** Sends an image of docs/images by name; false if there is no such file. */
export function sendGuideImage(req: IncomingMessage, res: ServerResponse, file: string): boolean {
  // Only names of the folder are read, so that a requested name cannot be a path.
  if (!readdirSync(imageFolder).includes(file)) return false;
  return sendMade(req, res, `image ${file}`, () => fileContent(join(imageFolder, file)));
}

function sendMade(
  req: IncomingMessage,
  res: ServerResponse,
  name: string,
  make: () => Promise<Content>,
): true {
  kept(name, make).then((content) => sendContent(req, res, content), res.destroy.bind(res));
  return true;
}

const cache = new Map<string, Promise<Content>>();

// A content that could not be made is made again at the next request.
function kept(name: string, make: () => Promise<Content>): Promise<Content> {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const content = make();
  cache.set(name, content);
  content.catch(() => cache.delete(name));
  return content;
}

async function navigationOf(document: Document): Promise<Navigation> {
  return { guides: await allGuides(), reference: referenceOf(document()) };
}

async function referenceContent(document: Document): Promise<Content> {
  return contentFrom('text/html; charset=utf-8', referencePage(await navigationOf(document)));
}

async function guideContent(document: Document, name: string): Promise<Content> {
  const navigation = await navigationOf(document);
  const guide = navigation.guides.find((one) => one.name === name);
  return contentFrom(
    'text/html; charset=utf-8',
    guide === undefined ? missingPage(navigation) : guidePage(guide, navigation),
  );
}

/** What the search reads of the guides. */
async function searchContent(): Promise<Content> {
  const guides = (await allGuides()).map(({ name, title, sections }) => ({
    title,
    path: guidePath(name),
    sections: sections.map(({ id, heading, text }) => ({ id, heading, text })),
  }));
  return contentFrom('application/json; charset=utf-8', JSON.stringify(guides));
}

async function fileContent(path: string): Promise<Content> {
  return contentFrom(types[extname(path)] ?? 'application/octet-stream', await readFile(path));
}

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The content of a file of the documentation, and its media type. */
interface Content {
  readonly type: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

/** Compresses a content once, so that it is kept in both forms. */
async function contentFrom(type: string, text: string | Buffer): Promise<Content> {
  const plain = Buffer.from(text);
  return { type, plain, compressed: await promisify(gzip)(plain) };
}

/** Sends a content, compressed if the client accepts it. */
function sendContent(
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
