import { lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { escaped } from '../connect-page/html.ts';

/** Where a link or an image of a document leads; null if it is shown as text. */
export type Resolve = (href: string) => string | null;

/** A heading and what follows it, as text. */
interface Section {
  readonly id: string;
  readonly heading: string;
  readonly depth: number;
  readonly text: string;
}

/** A document as HTML. The first heading is its title. */
export interface Rendered {
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
export function idOf(heading: string): string {
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
