import { createHash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import { TargetError, type TargetErrorCode } from '../../../../../domain/destinations/target-errors.ts';
import { errorCodeOf } from '../../../../../domain/error-code.ts';
import {
  CutOff,
  InterimFlood,
  type Limit,
  send,
  TlsFailed,
  withinLimits,
} from '../../../../../runtime/http/guarded-request.ts';
import { type Connection, type Host, neverAborted } from '../../session/connection.ts';

/** What a bucket is opened with. */
export interface BucketOpening {
  readonly host: Host;
  /** The address of the bucket. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Short failures of a store end within a request's retries. */
const attempts = 3;
/** The keys of a page, as S3 bounds them too. */
const keysPerPage = 1000;
/** Tags and ids of uploads of stores have fewer characters. */
const [mostTag, mostUploadId] = [200, 2000];

/** Requests to a bucket. Its functions are those of `S3Client`. */
export async function openBucket({ host, url: bucket, ...signing }: BucketOpening): Promise<Connection> {
  const base = new URL(bucket);
  const kept = { keepAlive: true, timeout: 10_000 };
  const agent = base.protocol === 'https:' ? new https.Agent(kept) : new http.Agent(kept);
  const lookup = lookupOf(host);
  const limits = { connectMs: host.connectMs, totalMs: host.totalMs, signal: neverAborted };

  const once = async ({ method, key, query = {}, body }: Request): Promise<Answer> => {
    const url = new URL(base);
    if (key !== '') url.pathname = `${base.pathname === '/' ? '' : base.pathname}/${key}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const given = { 'X-Amz-Content-Sha256': hash, 'Content-Length': String(body?.length ?? 0) };
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: given,
      service: 's3',
      ...signing,
    }).sign();
    const headers = Object.fromEntries(signed.headers);
    const outgoing = { method, headers, agent, lookup, ...(body === undefined ? {} : { body }) };
    return withinLimits(
      limits,
      async (running) => {
        const response = await send(url, outgoing, running);
        const { statusCode: status = 0, headers } = response;
        return { status, headers, body: Buffer.concat(await response.toArray()) };
      },
      (limit, error) => {
        throw new TargetError(reasonOf(limit, error), error);
      },
    );
  };
  const ask = async (request: Request): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await once(request);
      if (answer.status < 500 || attempt === attempts) return answer;
    }
  };
  const done = async (request: Request): Promise<Answer> => {
    const answer = await ask(request);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new TargetError(failureOf(answer));
  };

  return {
    close: async () => agent.destroy(),
    functions: {
      async put(key: string, body: Uint8Array) {
        await done({ method: 'PUT', key, body });
      },
      async remove(key: string) {
        const answer = await ask({ method: 'DELETE', key });
        const isGone = answer.status === 404 && errorCodeIn(answer.body) !== 'NoSuchBucket';
        if (!isGone && (answer.status < 200 || answer.status >= 300))
          throw new TargetError(failureOf(answer));
      },
      async list(prefix: string, token: string | null) {
        const more: Record<string, string> = token === null ? {} : { 'continuation-token': token };
        const query = { 'list-type': '2', prefix, 'max-keys': String(keysPerPage), ...more };
        const { body } = await done({ method: 'GET', key: '', query });
        const keys = listedKeys(body);
        const next = nextToken(body);
        if (
          keys.length > keysPerPage ||
          !keys.every((key) => key.startsWith(prefix)) ||
          (next !== null && next === token)
        )
          throw new TargetError('answer_invalid');
        return { keys, next };
      },
      async begin(key: string) {
        const { body } = await done({ method: 'POST', key, query: { uploads: '' } });
        return bounded(textIn(body, 'UploadId'), mostUploadId);
      },
      async putPart(key: string, uploadId: string, number: number, body: Uint8Array) {
        const query = { partNumber: String(number), uploadId };
        const { headers } = await done({ method: 'PUT', key, query, body });
        return bounded(headers.etag ?? '', mostTag);
      },
      async complete(key: string, uploadId: string, tags: readonly string[]) {
        const parts = tags.map(
          (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
        );
        const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
        const answer = await done({ method: 'POST', key, query: { uploadId }, body });
        // The status of a completion is sent before its outcome.
        if (errorCodeIn(answer.body) !== '') throw new TargetError(failureOf({ ...answer, status: 500 }));
      },
      async abort(key: string, uploadId: string) {
        const answer = await ask({ method: 'DELETE', key, query: { uploadId } });
        // A store that has no uploads to abort has completed or lost it.
        const isGone = [404, 405, 501].includes(answer.status);
        if (!isGone && answer.status >= 300) throw new TargetError(failureOf(answer));
      },
    },
  };
}

// A host that is an address is never looked up.
function lookupOf({ addresses }: Host): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** A text of the store that is kept. @throws TargetError `answer_invalid` */
function bounded(text: string, most: number): string {
  if (text === '' || text.length > most) throw new TargetError('answer_invalid');
  return text;
}

function reasonOf(limit: Limit | null, error: unknown): TargetErrorCode | 'stopped' {
  if (limit !== null) return limit;
  if (error instanceof TlsFailed) return 'tls_failed';
  const code = errorCodeOf(error) ?? '';
  if (code.startsWith('HPE_') || error instanceof InterimFlood) return 'answer_invalid';
  return error instanceof CutOff || code === 'ECONNRESET' ? 'cut_off' : 'unreachable';
}

const byCode: Readonly<Record<string, TargetErrorCode>> = {
  NoSuchBucket: 'missing',
  InvalidAccessKeyId: 'credentials_refused',
  SignatureDoesNotMatch: 'credentials_refused',
  InvalidToken: 'credentials_refused',
  ExpiredToken: 'credentials_refused',
  AccessDenied: 'not_permitted',
  AccountProblem: 'not_permitted',
  QuotaExceeded: 'full',
  ServiceQuotaExceededException: 'full',
  XMinioStorageFull: 'full',
  XMinioAdminBucketQuotaExceeded: 'full',
  InsufficientStorage: 'full',
  SlowDown: 'busy',
  PermanentRedirect: 'redirected',
  AuthorizationHeaderMalformed: 'redirected',
};

function failureOf({ status, body }: Pick<Answer, 'status' | 'body'>): TargetErrorCode {
  const known = byCode[errorCodeIn(body)];
  if (known !== undefined) return known;
  if (status === 401) return 'credentials_refused';
  if (status === 403) return 'not_permitted';
  if (status === 507) return 'full';
  if (status === 429 || status === 503) return 'busy';
  return status >= 300 && status < 400 ? 'redirected' : 'failed';
}

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
