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
