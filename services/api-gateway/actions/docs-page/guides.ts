import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { z } from 'zod';
import { parseJson } from '../../../../domain/json/json-bounds.ts';
import { escaped } from '../../rules/html.ts';

const folder = join(import.meta.dirname, '../../../../docs');

/** The groups of the navigation in their order, each with the names of its files in docs/. */
const GuideGroups = z.record(z.string(), z.array(z.string()));

/** A page below /docs/guides, in the order of docs/guides.json. */
export interface Guide extends Rendered {
  readonly name: string;
  readonly group: string;
}

let read: Promise<readonly Guide[]> | undefined;

/** All guides. They are rendered at the first call, and at the next one if a file could not be read. */
export function allGuides(): Promise<readonly Guide[]> {
  if (read !== undefined) return read;
  read = renderAll();
  read.catch(() => {
    read = undefined;
  });
  return read;
}

/** The address of a guide. */
export function guidePath(name: string): string {
  return `/docs/guides/${name}`;
}

interface Page {
  readonly name: string;
  readonly group: string;
  readonly markdown: string;
}

async function renderAll(): Promise<readonly Guide[]> {
  const groups = GuideGroups.parse(parseJson(await readFile(join(folder, 'guides.json'), 'utf8')));
  const named = Object.entries(groups).flatMap(([group, names]) => names.map((name) => ({ group, name })));
  const pages = await Promise.all(
    named.map(async ({ group, name: file }) => {
      const [name, markdown] = [nameOf(file), await readFile(join(folder, `${file}.md`), 'utf8')];
      return name === 'data' ? providerPages({ group, name, markdown }) : [{ group, name, markdown }];
    }),
  );
  const resolve = resolverOf(pages.flat());
  return pages.flat().map(({ name, group, markdown }) => ({ name, group, ...render(markdown, resolve) }));
}

// docs/insights/README is /docs/guides/insights, and docs/insights/activity is /docs/guides/insights-activity.
const nameOf = (file: string) => file.replace('/README', '').replace('/', '-');

/** docs/data.md has a section for each provider, which becomes a page of its own. */
function providerPages({ group, name, markdown }: Page): Page[] {
  const [introduction = '', ...sections] = markdown.split(/^(?=## )/m);
  const providers = sections.map((section) => ({
    name: `${name}-${/^## (\w+)/.exec(section)?.[1]}`,
    group,
    markdown: section.replace(/^#(?=#+ )/gm, ''),
  }));
  const links = providers.map(
    (page) => `- [${titleOf(page.markdown)}](${name}.md#${idOf(titleOf(page.markdown))})`,
  );
  return [{ name, group, markdown: `${introduction}\n${links.join('\n')}\n` }, ...providers];
}

function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? '';
}

const headingsOf = (markdown: string) => [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text);

/** Links lead to other guides, to headings, to images of docs/ and to https addresses. Files of the tree are not served. */
function resolverOf(pages: readonly Page[]): Resolve {
  const names = new Set(pages.map(({ name }) => name));
  const ofData = pages.filter(({ name }) => name.startsWith('data'));
  const byHeading = new Map(
    ofData.flatMap(({ name, markdown }) => headingsOf(markdown).map((heading) => [idOf(heading), name])),
  );
  return (href) => {
    if (/^(?:https:\/\/|#)/.test(href)) return href;
    const image = /^images\/([\w-]+\.webp)$/.exec(href)?.[1];
    if (image !== undefined) return `/docs/guides/images/${image}`;
    const [, path = '', hash = ''] = /^(?:\.\.\/)?([\w/-]+)\.md(?:#(.+))?$/.exec(href) ?? [];
    const file = [nameOf(path), `insights-${path}`].find((one) => names.has(one));
    if (file === undefined) return null;
    const page = (file === 'data' && byHeading.get(hash)) || file;
    return guidePath(page) + (hash === '' ? '' : `#${hash}`);
  };
}

/** Where a link or an image of a document leads; null if it is shown as text. */
type Resolve = (href: string) => string | null;

/** A heading and what follows it, as text. */
interface Section {
  readonly id: string;
  readonly heading: string;
  readonly depth: number;
  readonly text: string;
}

/** A document as HTML. The first heading is its title. */
interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Renders a document. HTML in it is shown as text. */
export function render(markdown: string, resolve: Resolve): Rendered {
  const parser = new Parser({ renderer: new GuideRenderer(resolve) });
  const parts = partsOf(lexer(markdown)).map(({ heading, tokens }) => {
    const top = parser.parse([heading]);
    return { top, rest: parser.parse(tokens), depth: heading.depth };
  });
  const sections = parts.map(({ top, rest, depth }) => {
    const id = / id="([^"]*)"/.exec(top)?.[1] ?? '';
    return { id, heading: textOf(top), depth, text: textOf(rest) };
  });
  const html = parts.map(({ top, rest }) => top + rest).join('');
  return { title: sections[0]?.heading ?? '', html, sections };
}

/** The id of a heading, as GitHub makes it, so that links work in both places. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

interface Part {
  readonly heading: Tokens.Heading;
  readonly tokens: Token[];
}

/** The tokens by heading. What precedes the first heading is left out: a document begins with its title. */
function partsOf(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  for (const token of tokens) {
    if (isHeading(token)) parts.push({ heading: token, tokens: [] });
    else parts.at(-1)?.tokens.push(token);
  }
  return parts;
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

class GuideRenderer extends Renderer {
  readonly #resolve: Resolve;
  readonly #counts = new Map<string, number>();

  constructor(resolve: Resolve) {
    super();
    this.#resolve = resolve;
  }

  override heading({ tokens, depth, text }: Tokens.Heading): string {
    const id = this.#uniqueId(idOf(text));
    return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  #uniqueId(id: string): string {
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escaped(text);
  }

  override code({ text, lang = '' }: Tokens.Code): string {
    return codeBlock(text, lang);
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const target = this.#resolve(href);
    return target === null ? text : `<a href="${escaped(target)}">${text}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const target = this.#resolve(href);
    return target === null
      ? escaped(text)
      : `<img src="${escaped(target)}" alt="${escaped(text)}" loading="lazy">`;
  }

  // A wide table scrolls by itself, so that the page does not.
  override table(token: Tokens.Table): string {
    return `<div class="table">${super.table(token)}</div>\n`;
  }

  // A header cell without text names nothing.
  override tablecell(token: Tokens.TableCell): string {
    return token.header && token.text === '' ? '<td></td>\n' : super.tablecell(token);
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function textOf(html: string): string {
  return html
    .replace(/<[^>]+>/g, (tag) => (/^<\/?(?:code|span|a|em|strong)\b/.test(tag) ? '' : ' '))
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Comments and strings, by language. Other code has no colours. */
const patterns: Readonly<Record<string, RegExp>> = {
  sh: /(?<comment>(?<=^|\s)#.*$)|(?<string>"(?:\\.|[^"\\])*"|'[^']*')/gm,
  yaml: /(?<comment>(?<=^|\s)#.*$)|(?<string>"(?:\\.|[^"\\])*"|'[^']*')/gm,
  python: /(?<comment>#.*$)|(?<string>f?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/gm,
  js: /(?<comment>\/\/.*$)|(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)/gm,
  go: /(?<comment>\/\/.*$)|(?<string>"(?:\\.|[^"\\])*")/gm,
  json: /(?<comment>(?!))|(?<string>"(?:\\.|[^"\\])*")/gm,
};

/** What a reader replaces: an API key, and the address of a gateway on this machine. The page fills both in. */
const places =
  /(?<key>\$KEY\b|\bYOUR_KEY\b|\bsk-…)|(?:http:\/\/)?\b(?:127\.0\.0\.1|localhost):(?:3000|PORT)\b/g;

/** The HTML of a code block. Its places to fill in are elements of the classes `key` and `base`. */
export function codeBlock(code: string, language: string): string {
  const pattern = patterns[language];
  const inner = pattern === undefined ? withPlaces(code) : coloured(code, pattern);
  return `<div class="code"><pre><code>${inner}\n</code></pre></div>\n`;
}

function coloured(code: string, pattern: RegExp): string {
  return piecesOf(code, pattern)
    .map(({ text, match }) => {
      if (match === null) return withPlaces(text);
      const name = match.groups?.comment === undefined ? 'string' : 'comment';
      return `<span class="${name}">${withPlaces(text)}</span>`;
    })
    .join('');
}

function withPlaces(code: string): string {
  return piecesOf(code, places)
    .map(({ text, match }) => {
      if (match === null) return escaped(text);
      const name = match.groups?.key === undefined ? 'base' : 'key';
      return `<span class="${name}">${escaped(text)}</span>`;
    })
    .join('');
}

interface Piece {
  readonly text: string;
  readonly match: RegExpExecArray | null;
}

/** The text, cut at the matches of a pattern. */
function piecesOf(text: string, pattern: RegExp): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push({ text: text.slice(end, match.index), match: null }, { text: match[0], match });
    end = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(end), match: null }];
}
