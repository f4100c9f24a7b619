import { TargetError } from '../../../../domain/destinations/target-errors.ts';

/*
 * The few elements of the answers of S3 that are read. All of them hold text only, so that a parser of XML adds nothing.
 */

/** The code of an error, or an empty text. */
export function errorCodeIn(body: Buffer): string {
  const text = body.subarray(0, 4096).toString('utf8');
  return /<Error[\s>]/.test(text) ? (firstOf(text, 'Code') ?? '') : '';
}

/** The text of an element. @throws TargetError `answer_invalid` if there is none */
export function textIn(body: Buffer, element: string): string {
  const text = firstOf(body.toString('utf8'), element);
  if (text === undefined || text === '') throw new TargetError('answer_invalid');
  return text;
}

/** A longer key is none of S3. */
const mostKeyBytes = 1024;
/** Tokens of stores contain a key at most. */
const mostToken = 4096;

/** The keys of a page of a list, each once. @throws TargetError `answer_invalid` */
export function listedKeys(body: Buffer): string[] {
  const text = body.toString('utf8');
  if (!/<ListBucketResult[\s>]/.test(text)) throw new TargetError('answer_invalid');
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key));
  const isKey = (key: string) =>
    key.isWellFormed() && !key.includes('\0') && Buffer.byteLength(key) <= mostKeyBytes;
  if (!keys.every(isKey)) throw new TargetError('answer_invalid');
  return [...new Set(keys)];
}

/** Where the list continues; null at its end. */
export function nextToken(body: Buffer): string | null {
  const text = body.toString('utf8');
  if (firstOf(text, 'IsTruncated') !== 'true') return null;
  const token = textIn(body, 'NextContinuationToken');
  if (token.length > mostToken) throw new TargetError('answer_invalid');
  return token;
}

function firstOf(text: string, element: string): string | undefined {
  const [, found] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(text) ?? [];
  return found === undefined ? undefined : unescaped(found);
}

const mostCodePoint = 0x10ffff;
const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

function unescaped(text: string): string {
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities.get(name) ?? whole;
    const point = Number(name.startsWith('#x') ? `0${name.slice(1)}` : name.slice(1));
    return point <= mostCodePoint ? String.fromCodePoint(point) : whole;
  });
}
