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

/** The keys of a page of a list. @throws TargetError `answer_invalid` */
export function listedKeys(body: Buffer): string[] {
  const text = body.toString('utf8');
  if (!/<ListBucketResult[\s>]/.test(text)) throw new TargetError('answer_invalid');
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key));
}

/** Where the list continues; null at its end. */
export function nextToken(body: Buffer): string | null {
  const text = body.toString('utf8');
  if (firstOf(text, 'IsTruncated') !== 'true') return null;
  return textIn(body, 'NextContinuationToken');
}

function firstOf(text: string, element: string): string | undefined {
  const [, found] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(text) ?? [];
  return found === undefined ? undefined : unescaped(found);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (name.startsWith('#x')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)));
    return entities[name] ?? whole;
  });
}
