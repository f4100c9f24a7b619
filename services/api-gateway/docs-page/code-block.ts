import { escaped } from '../connect-page/html.ts';

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
