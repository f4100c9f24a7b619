import { SaxesParser } from 'saxes';
import { FileProblem } from './file-bytes.ts';

/** What is done with the elements of a document. */
export interface ElementHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** `text` is that of the element itself, if `wantsText`. */
  close(name: string, text: string): void;
  readonly wantsText: boolean;
}

/** A document that is read chunk by chunk. */
interface XmlReader {
  /** @throws FileProblem if the document cannot be read further */
  write(bytes: Buffer): void;
  end(): void;
  /** References to entities that were not expanded. */
  readonly unexpanded: number;
}

const mostDepth = 100;
/** A document with more text between two elements, or in one tag, is refused. */
const mostSilentChars = 16 * 1024 * 1024;

/**
 * Reads XML without loading anything and without expanding entities beside those of XML itself. A document type in the document
 * is passed over; one that names another file is refused.
 */
export function xmlReader(handler: ElementHandler): XmlReader {
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  const texts: string[] = [];
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let silent = 0;
  let unexpanded = 0;
  let failure: FileProblem | null = null;
  parser.on('doctype', (text) => {
    if (namesFile(text)) failure ??= new FileProblem('The document type names another file.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    silent = 0;
    texts.push('');
    if (texts.length > mostDepth) failure ??= new FileProblem('The elements are nested too deeply.');
    handler.open(name, attributes);
  });
  parser.on('closetag', ({ name }) => {
    silent = 0;
    handler.close(name, texts.pop() ?? '');
  });
  if (handler.wantsText)
    for (const event of ['text', 'cdata'] as const)
      parser.on(event, (text) => {
        if (texts.length > 0) texts[texts.length - 1] += text;
      });
  parser.on('error', ({ message }) => {
    if (/undefined entity|empty entity|malformed character entity/.test(message)) unexpanded += 1;
    else failure ??= new FileProblem('The file is cut off, or is no well-formed XML.');
  });
  const check = () => {
    if (failure !== null) throw failure;
  };
  return {
    write(bytes) {
      decoder ??= new TextDecoder(encodingOf(bytes));
      const text = decoder.decode(bytes, { stream: true });
      silent += text.length;
      if (silent > mostSilentChars + text.length) throw new FileProblem('A part of the file is too long.');
      parser.write(text);
      check();
    },
    end() {
      parser.write(decoder?.decode() ?? '').close();
      check();
    },
    get unexpanded() {
      return unexpanded;
    },
  };
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
  const declared = /^<\?xml[^>]*\bencoding=["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1];
  return declared !== undefined && /^(iso-8859-\d+|windows-125\d|us-ascii)$/i.test(declared)
    ? declared
    : 'utf-8';
}

/** The name of an element without its prefix. */
export const localName = (name: string) => name.slice(name.indexOf(':') + 1);
