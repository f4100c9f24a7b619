import { lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { escaped } from '../connect-page/html.ts';
import { codeBlock } from './code-block.ts';

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
