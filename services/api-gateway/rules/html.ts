/** HTML text. Values that are put into a template are escaped unless they are Html themselves. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | readonly Html[];

/** A template of HTML: `html`<p>${text}</p>``. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const texts = parts.map((part, index) => part + textOf(values[index] ?? ''));
  return new Html(texts.join(''));
}

/** No HTML. */
export const nothing = new Html('');

function textOf(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escaped(value);
  return value.map(({ text }) => text).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text with the characters of HTML's markup replaced. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

// Names come from operators and providers and may run in the other direction than the sentence. Texts are plain strings, so a name
// is put into them between two control characters, which become elements in HTML.
const start = '\u2068';
const end = '\u2069';
const controls = /[\u202a-\u202e\u2066-\u2069]/g;

/** Chromium breaks no line between a full-width mark and an isolated name, although the scripts with such marks allow it. */
const afterMark = /([、。，：；（])(?=\u2068)/g;

/** A name for a text of the page, whose direction does not affect the sentence around it. */
export function isolated(name: string): string {
  return `${start}${withoutIsolates(name)}${end}`;
}

/** A text with its names in `<bdi>` elements. */
export function sentence(text: string): Html {
  const breakable = escaped(text).replace(afterMark, '$1<wbr>');
  return new Html(breakable.replaceAll(start, '<bdi>').replaceAll(end, '</bdi>'));
}

/** A text without marks of direction, for attributes. */
export function withoutIsolates(text: string): string {
  return text.replace(controls, '');
}
