/** The beginning of an XML document. */
export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text within XML. Characters that XML 1.0 forbids are left out. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** An element, or nothing if there is no value. */
export function element(name: string, value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : `<${name}>${value}</${name}>`;
}

/** A whole number, or undefined. */
export function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value);
}
