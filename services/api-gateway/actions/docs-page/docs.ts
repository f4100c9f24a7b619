import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { Html, html, nothing } from '../../rules/html.ts';
import { introduction, sections } from '../../rules/openapi.ts';
import { allGuides, type Guide, guidePath, render } from './guides.ts';

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
const imageFolder = join(import.meta.dirname, '../../../../docs/images');
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

async function readNavigation(document: Document): Promise<Navigation> {
  return { guides: await allGuides(), reference: referenceOf(document()) };
}

async function referenceContent(document: Document): Promise<Content> {
  return contentFrom('text/html; charset=utf-8', referencePage(await readNavigation(document)));
}

async function guideContent(document: Document, name: string): Promise<Content> {
  const navigation = await readNavigation(document);
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

/** What the navigation lists. */
interface Navigation {
  readonly guides: readonly Guide[];
  readonly reference: ReadonlyMap<string, readonly ReferenceLink[]>;
}

/** The page of the reference: an overview that needs no scripts, and a place that Swagger UI fills with a section. */
function referencePage(navigation: Navigation): string {
  return page({
    title: 'Pulsebus API',
    kind: 'reference',
    styles: ['swagger-ui.css'],
    navigation: navigationOf(navigation),
    main: html`<main id="page" tabindex="-1">${overviewOf(navigation)}<div id="operations"></div></main>`,
    scripts: html`<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js"></script>`,
  });
}

/** The page of a guide, which is complete without scripts. */
function guidePage(guide: Guide, navigation: Navigation): string {
  return page({
    title: `${guide.title} – Pulsebus`,
    kind: 'guide',
    styles: ['guide.css'],
    navigation: navigationOf(navigation, guide.name),
    main: html`<main id="page" tabindex="-1"><article>${new Html(guide.html)}</article></main>
${contentsOf(guide)}`,
    scripts: guideScript,
  });
}

/** The page of an address below /docs/guides that names no guide. */
function missingPage(navigation: Navigation): string {
  return page({
    title: 'No such guide – Pulsebus',
    kind: 'guide',
    styles: ['guide.css'],
    navigation: navigationOf(navigation),
    main: html`<main id="page" tabindex="-1"><article><h1>There is no such guide</h1>
<p>The list of contents has all guides.</p></article></main>`,
    scripts: guideScript,
  });
}

/** What the API is for, a day of a user, and the operations by section. */
function overviewOf({ reference }: Navigation): Html {
  const groups = [...reference].map(([name, links]) => {
    const items = links.map(({ id, summary }) => html`<li><a href="${linkOf(name, id)}">${summary}</a></li>`);
    return html`<section><h2><a href="${linkOf(name, '')}">${name}</a></h2>
<p>${sections[name] ?? ''}</p><ul>${items}</ul></section>\n`;
  });
  return html`<div id="overview"><article>${new Html(render(`# Pulsebus API\n\n${introduction}`, () => null).html)}
<figure><a href="/console/users"><img class="light" alt="${dayText}" src="${dayImage('light')}" width="1440" height="900">
<img class="dark" alt="${dayText}" src="${dayImage('dark')}" width="1440" height="900" loading="lazy"></a>
<figcaption>A day of a user in the console, drawn from answers of the section Data.</figcaption></figure>
</article><div class="sections">${groups}</div></div>`;
}

const dayText = 'Heart rate, sleep stages, activity and workouts of one day on one axis of time';
const dayImage = (theme: 'light' | 'dark') => `/docs/guides/images/console-user-${theme}-1440.webp`;

const guideScript = html`<script type="module" src="/docs/guide.js"></script>`;

interface Page {
  readonly title: string;
  readonly kind: 'reference' | 'guide';
  readonly styles: readonly string[];
  readonly navigation: Html;
  readonly main: Html;
  readonly scripts: Html;
}

function page({ title, kind, styles, navigation, main, scripts }: Page): string {
  const links = [...styles, 'page.css'].map((file) => html`<link rel="stylesheet" href="/docs/${file}">\n`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<script src="/docs/theme.js"></script>
${links}<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body class="${kind}">
<a class="skip" href="#page">Skip to the content</a>
<header>
<a class="name" href="/docs#/">Pulsebus</a>
<form id="credential">
<label for="key">API key</label>
<input id="key" disabled type="password" autocomplete="off" spellcheck="false" required placeholder="sk-… or a token">
<button type="submit">Use</button>
<button type="button" id="forget" hidden>Forget</button>
<output id="credential-state" for="key"></output>
</form>
<button type="button" id="theme">Theme</button>
</header>
${navigation}
${main}
${scripts}
</body>
</html>
`.text;
}

function navigationOf({ guides, reference }: Navigation, current = ''): Html {
  const names = [...new Set(guides.map(({ group }) => group))];
  const groups = names.map((name) => {
    const links = guides.filter(({ group }) => group === name);
    const items = links.map((guide) => guideLink(guide, current));
    return groupOf(
      name,
      items,
      links.some((guide) => guide.name === current),
    );
  });
  const sections = [...reference].map(([name, links]) =>
    groupOf(
      name,
      links.map((link) => operationLink(name, link)),
      false,
    ),
  );
  return html`<nav id="navigation" aria-label="Documentation">
<div id="find">
<input id="search" type="search" disabled placeholder="Search: press /" aria-label="Search guides and operations">
<button type="button" id="menu" aria-expanded="false" aria-controls="groups">Contents</button>
<output id="found" for="search"></output>
</div>
<ul id="results" aria-label="Results" hidden></ul>
<div id="groups">
<h2>Guides</h2>
${groups}<h2>Reference</h2>
${sections}</div>
</nav>`;
}

function groupOf(name: string, items: readonly Html[], isOpen: boolean): Html {
  const open = isOpen ? html` open` : nothing;
  return html`<details${open}><summary>${name}</summary><ul>${items}</ul></details>\n`;
}

function guideLink({ name, title }: Guide, current: string): Html {
  const mark = name === current ? html` aria-current="page"` : nothing;
  return html`<li><a href="${guidePath(name)}"${mark}><span>${title}</span></a></li>`;
}

function operationLink(section: string, { id, summary, method, path }: ReferenceLink): Html {
  return html`<li><a href="${linkOf(section, id)}" title="${path}"><span>${summary}</span><code>${method}</code></a></li>`;
}

const linkOf = (section: string, id: string) => `/docs#/${encodeURIComponent(section)}/${id}`;

/** The headings of a guide. A guide with few has none. */
function contentsOf({ sections }: Guide): Html {
  const inner = sections.filter(({ depth }) => depth === 2);
  if (inner.length < 2) return nothing;
  const items = inner.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`);
  return html`<nav id="contents" aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav>`;
}

/** One operation or event of the reference, as the navigation lists it. */
interface ReferenceLink {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
}

/** The sections that the page shows besides those of operations; layout.js has the same names. */
const eventsName = 'Webhook events';
const schemasName = 'Schemas';

const Operations = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({ operationId: z.string(), summary: z.string(), tags: z.array(z.string()).default([]) }),
  ),
);
const OpenApi = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: Operations,
  webhooks: Operations,
});

/** The sections of the OpenAPI document, each with its operations. */
function referenceOf(document: unknown): Map<string, readonly ReferenceLink[]> {
  const { tags, paths, webhooks } = OpenApi.parse(document);
  const operations = linksOf(paths);
  const sections = new Map<string, readonly ReferenceLink[]>();
  for (const { name } of tags)
    sections.set(
      name,
      operations.filter((one) => one.tags.includes(name)),
    );
  sections.set(
    eventsName,
    linksOf(webhooks).map((event) => ({ ...event, method: '' })),
  );
  return sections.set(schemasName, [{ id: '', summary: 'All schemas', method: '', path: '' }]);
}

function linksOf(paths: z.infer<typeof Operations>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, tags }]) => ({
      id: operationId,
      summary,
      method: method.toUpperCase(),
      path,
      tags,
    })),
  );
}
