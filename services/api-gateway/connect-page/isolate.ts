import { escaped, Html } from './html.ts';

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
