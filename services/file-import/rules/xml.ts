import { SaxesParser } from 'saxes';
import { type Skipped, skipped } from '../../../providers/file/entry.ts';
import { FileProblem } from './file-bytes.ts';

/*
 * The parser is strict, and goes on after an error. A fault costs the element that it is in: what the parser reports belongs to the tag
 * that it reads, or to the text or the end tag before. The open elements are counted here and not taken from the parser, because an end
 * tag without a start tag closes all of the parser's elements. What it does not recover from is mended in the text that it is given:
 * blanks before the declaration, characters that XML does not allow, and ampersands that begin no reference, for which it would read up
 * to the next `;` of the document.
 */

/** An element of a document. */
export interface XmlTag {
  /** Without its prefix if the handler `usesNamespaces`. */
  readonly name: string;
  /** The namespace; empty if it has none, or if the prefix is not declared. */
  readonly space: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The tag cannot be read, so its attributes may be wrong. */
  readonly isDamaged: boolean;
}

/** What is done with the elements of a document. */
export interface ElementHandler {
  readonly wantsText: boolean;
  readonly usesNamespaces: boolean;
  /** The elements that end where one of this name begins: they never contain it, so their end tags are missing. */
  readonly endedBy: ReadonlyMap<string, ReadonlySet<string>>;
  open(tag: XmlTag): void;
  /** `text` is that of the element itself, if `wantsText`; empty if it cannot be read. */
  close(name: string, text: string): void;
}

/** A document that is read chunk by chunk. */
interface XmlReader {
  /** @throws FileProblem if the document cannot be read further */
  write(bytes: Buffer): void;
  /** @throws FileProblem if the document is cut off */
  end(): void;
  /** The faults of the document so far, and how many elements or places have each. */
  faults(): Skipped[];
}

const mostDepth = 100;
/** A document with more text between two elements, or in one tag, is refused. */
const mostSilentChars = 16 * 1024 * 1024;

/** Faults of a tag. The other attributes of a tag with a `partial` one are read rightly. */
const tagFaults: Readonly<Record<string, 'partial' | 'whole'>> = {
  'attribute without value.': 'partial',
  'no whitespace between attributes.': 'partial',
  'unquoted attribute value.': 'partial',
  'disallowed character in attribute name.': 'whole',
  'disallowed character in tag name.': 'whole',
  'disallowed character.': 'whole',
  'forward-slash in opening tag not followed by >.': 'whole',
};
const textFaults = new Set([
  'the string "]]>" is disallowed in char data.',
  'disallowed character in tag name',
]);
const referenceFault = /^(undefined entity|empty entity|malformed character|disallowed character in entity)/;
/** What the parser reports of elements whose parent it takes for closed. */
const rootFaults = new Set(['text data outside of root node.', 'documents may contain only one root.']);

const sentences = {
  whole: 'The tag is not well-formed XML.',
  partial: 'An attribute that is not well-formed XML was left out.',
  text: 'A text that is not well-formed XML was left out.',
  end: 'End tags are missing, or have no start tag.',
  outside: 'The document is not well-formed XML outside of its elements.',
  characters: 'Characters that XML does not allow were left out.',
  references: 'References to entities were not expanded.',
};
type Fault = keyof typeof sentences;

/** Elements with faults are counted by at most as many names, the rest together. */
const mostFaultNames = 50;

interface OpenElement extends XmlTag {
  /** As the parser has it. */
  readonly tag: object;
  /** The namespaces that it declares, by their prefixes; null without any. */
  readonly spaces: ReadonlyMap<string, string> | null;
  text: string;
  isTextDamaged: boolean;
}

/**
 * Reads XML without loading anything and without expanding entities beside those of XML itself. A document type in the document
 * is passed over; one that names another file is refused.
 */
export function xmlReader(handler: ElementHandler): XmlReader {
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  const elements = openElements(handler);
  const { count } = elements;
  let silent = 0;
  let isRead = false;
  let failure: FileProblem | null = null;
  let tagFault: 'partial' | 'whole' | null = null;
  let isOutsideCounted = false;
  /** An end tag that the parser has read. What it reports next says whether the tag has a start. */
  let ending: object | null = null;
  const text = textReader((characters) => count('characters', 'document', characters));
  const beginPart = () => {
    silent = 0;
    isOutsideCounted = false;
    settleEnd();
  };
  const settleEnd = () => {
    if (ending !== null) elements.close(ending);
    ending = null;
  };
  parser.on('doctype', (declarations) => {
    if (namesFile(declarations)) failure ??= new FileProblem('The document type names another file.');
  });
  parser.on('opentag', (tag) => {
    beginPart();
    isRead = true;
    const fault = tagFault;
    tagFault = null;
    elements.open(tag, text.mended(tag.attributes), fault);
    if (elements.depth > mostDepth) failure ??= new FileProblem('The elements are nested too deeply.');
  });
  parser.on('closetag', (tag) => {
    beginPart();
    if (tag.isSelfClosing) elements.close(tag);
    else ending = tag;
  });
  const readText = () => {
    for (const event of ['text', 'cdata'] as const)
      parser.on(event, (part) => {
        settleEnd();
        elements.addText(text.mendedText(part));
      });
  };
  if (handler.wantsText) readText();
  parser.on('error', ({ message }) => {
    const [, unmatched] = /^unmatched closing tag: (.*)\.$/s.exec(message) ?? [];
    const fault = message.startsWith('duplicate attribute') ? 'whole' : tagFaults[message];
    // The element is closed with the one around it, if that has an end tag.
    if (message === 'unexpected close tag.') ending = null;
    else if (unmatched !== undefined) {
      settleEnd();
      elements.closeNamed(unmatched);
      // The parser adds the tag to the text, and the text to the next attribute if nobody reads it.
      readText();
    } else if (referenceFault.test(message)) count('references', 'document');
    else if (fault !== undefined) tagFault = tagFault === 'whole' ? 'whole' : fault;
    else if (message === 'incorrect syntax.') failure ??= new FileProblem(cutOff);
    else {
      settleEnd();
      if (textFaults.has(message) && elements.depth > 0) elements.damageText();
      else if (message !== 'malformed comment.' && !(rootFaults.has(message) && elements.depth > 0))
        countOutside();
    }
  });
  const countOutside = () => {
    if (!isOutsideCounted) count('outside', 'document');
    isOutsideCounted = true;
  };
  const check = () => {
    settleEnd();
    if (failure !== null) throw failure;
  };
  return {
    write(bytes) {
      const part = text.read(bytes);
      silent += part.length;
      if (silent > mostSilentChars + part.length) throw new FileProblem('A part of the file is too long.');
      parser.write(part);
      check();
    },
    end() {
      parser.write(text.end());
      check();
      if (elements.depth > 0 || !isRead) throw new FileProblem(cutOff);
      parser.on('error', ({ message }) => {
        if (message === 'unexpected end.') countOutside();
      });
      parser.close();
    },
    faults: elements.faults,
  };
}

const cutOff = 'The file is cut off, or is no well-formed XML.';

/** The elements that are open, and the faults that were found in them. */
function openElements(handler: ElementHandler) {
  const open: OpenElement[] = [];
  const counts = new Map<string, { readonly type: string; readonly fault: Fault; items: number }>();
  const count = (fault: Fault, name: string, items = 1) => {
    const isNamed = counts.size < mostFaultNames || counts.has(`${fault}\n${name}`);
    const type = isNamed ? name : 'others';
    const former = counts.get(`${fault}\n${type}`);
    if (former === undefined) counts.set(`${fault}\n${type}`, { type, fault, items });
    else former.items += items;
  };
  const closeLast = () => {
    const last = open.pop();
    if (last !== undefined) handler.close(last.name, last.isTextDamaged ? '' : last.text);
  };
  /** Closes an element, and before it those in it whose end tags are missing. */
  const closeFrom = (index: number) => {
    const missing = open.length - 1 - index;
    if (missing > 0) count('end', 'document', missing);
    while (open.length > index) closeLast();
  };
  const endBefore = (name: string) => {
    const ended = handler.endedBy.get(name);
    const index = ended === undefined ? -1 : open.findIndex((element) => ended.has(element.name));
    if (index < 0) return;
    count('end', 'document');
    closeFrom(index);
  };
  const nameOf = (name: string) => (handler.usesNamespaces ? localName(name) : name);
  const spaceOf = (qualified: string, own: OpenElement['spaces']) => {
    const prefix = qualified.slice(0, Math.max(0, qualified.indexOf(':')));
    const declared =
      own?.get(prefix) ?? open.findLast(({ spaces }) => spaces?.has(prefix))?.spaces?.get(prefix);
    return declared ?? '';
  };
  return {
    count,
    get depth() {
      return open.length;
    },
    open(
      tag: { readonly name: string },
      attributes: Readonly<Record<string, string>>,
      fault: 'partial' | 'whole' | null,
    ) {
      const name = nameOf(tag.name);
      if (open.length > 1) endBefore(name);
      if (fault !== null) count(fault, name);
      const spaces = handler.usesNamespaces ? declaredIn(attributes) : null;
      const space = handler.usesNamespaces ? spaceOf(tag.name, spaces) : '';
      const isDamaged = fault === 'whole';
      const element = { tag, name, space, spaces, attributes, isDamaged, text: '', isTextDamaged: false };
      open.push(element);
      handler.open(element);
    },
    /** Ends an element. One that the beginning of another has ended has no end any more. */
    close(tag: object) {
      if (open.at(-1)?.tag === tag) closeLast();
      else {
        const index = open.findLastIndex((element) => element.tag === tag);
        if (index >= 0) closeFrom(index);
      }
    },
    /** Ends the last element of a name: the parser does not know it any more. */
    closeNamed(qualified: string) {
      const name = nameOf(qualified);
      const index = open.findLastIndex((element) => element.name === name);
      if (index >= 0) return closeFrom(index);
      count('end', 'document');
      const last = open.at(-1);
      if (last !== undefined) last.isTextDamaged = true;
    },
    addText(text: string) {
      const last = open.at(-1);
      if (last !== undefined) last.text += text;
    },
    damageText() {
      const last = open.at(-1);
      if (last === undefined || last.isTextDamaged) return;
      last.isTextDamaged = true;
      count('text', last.name);
    },
    faults: () =>
      [...counts.values()].map(({ type, fault, items }) => skipped(type, sentences[fault], items)),
  };
}

function declaredIn(attributes: Readonly<Record<string, string>>): OpenElement['spaces'] {
  let spaces: Map<string, string> | null = null;
  for (const name in attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    spaces ??= new Map();
    spaces.set(name.slice('xmlns:'.length), attributes[name]?.trim() ?? '');
  }
  return spaces;
}

/** Control characters and the two that are none. The class names what it matches: its complement takes twice as long. */
const notAllowed = new RegExp(
  `[${[
    [0, 8],
    [11, 12],
    [14, 31],
    [0xfffe, 0xffff],
  ]
    .map(([from = 0, to = 0]) => `${String.fromCharCode(from)}-${String.fromCharCode(to)}`)
    .join('')}]`,
  'g',
);
/** An ampersand that begins no reference. */
const bareAmpersand = /&(?!(?:[A-Za-z_][\w.-]{0,30}|#\d{1,7}|#x[\dA-Fa-f]{1,6});)/g;
const longestReference = 34;
/** Stands for an ampersand while the document is parsed: no text contains this code point. */
const standIn = '\uFDD0';

/** The text of a document without what the parser does not recover from. `leftOut` is given the number of characters. */
function textReader(leftOut: (characters: number) => void) {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let isBegun = false;
  let hasStandIns = false;
  let carried = '';
  const clean = (decoded: string, isLast: boolean): string => {
    let text = carried + decoded;
    carried = '';
    if (notAllowed.test(text)) {
      notAllowed.lastIndex = 0;
      const { length } = text;
      text = text.replace(notAllowed, '');
      leftOut(length - text.length);
    }
    if (!isBegun) text = text.trimStart();
    isBegun ||= text !== '';
    // A reference may go on in the next part.
    const tail = text.slice(-longestReference);
    const at = tail.lastIndexOf('&');
    if (!isLast && at >= 0 && !tail.includes(';', at)) {
      carried = tail.slice(at);
      text = text.slice(0, text.length - carried.length);
    }
    if (hasBareAmpersand(text)) {
      hasStandIns = true;
      text = text.replace(bareAmpersand, standIn);
    }
    return text;
  };
  return {
    read(bytes: Buffer): string {
      decoder ??= new TextDecoder(encodingOf(bytes));
      return clean(decoder.decode(bytes, { stream: true }), false);
    },
    end: () => clean(decoder?.decode() ?? '', true),
    mended(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
      if (!hasStandIns) return attributes;
      return Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [name, value.replaceAll(standIn, '&')]),
      );
    },
    mendedText: (text: string) => (hasStandIns ? text.replaceAll(standIn, '&') : text),
  };
}

// An export has four references in each record. The expression takes three times as long for them.
function hasBareAmpersand(text: string): boolean {
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    let end = at + 1;
    while (end - at < longestReference && isOfReference(text.charCodeAt(end))) end += 1;
    if (end === at + 1 || text.charAt(end) !== ';') return true;
  }
  return false;
}

/** Whether a character is a letter, a digit, or one of `#-._`. */
function isOfReference(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a;
  if (code >= 0x41) return code <= 0x5a || code === 0x5f;
  return (code >= 0x30 && code <= 0x39) || code === 0x23 || code === 0x2d || code === 0x2e;
}

// Comments and quoted texts of the declarations may contain any words.
function namesFile(doctype: string): boolean {
  const declarations = withoutComments(doctype).replaceAll(/"[^"]*"|'[^']*'/g, '');
  return /\b(SYSTEM|PUBLIC)\b/.test(declarations);
}

/** A text without its comments. An expression would search for the end of each `<!--` again, up to the end of the text. */
export function withoutComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let begin = text.indexOf('<!--'); begin >= 0; begin = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', begin + 4);
    if (end < 0) break;
    parts.push(text.slice(from, begin));
    from = end + 3;
  }
  return [...parts, text.slice(from)].join('');
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const declaration = /<\?xml[^>]*\bencoding=["']([\w.-]+)["']/;
  const declared = declaration.exec(bytes.toString('latin1', 0, 400))?.[1];
  return declared !== undefined && /^(iso-8859-\d+|windows-125\d|us-ascii)$/i.test(declared)
    ? declared
    : 'utf-8';
}

/** The name of an element without its prefix. */
export const localName = (name: string) => name.slice(name.indexOf(':') + 1);
