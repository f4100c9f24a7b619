import { createHash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { AwsV4Signer } from 'aws4fetch';
import { TargetError, type TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';
import {
  AddressRefused,
  CutOff,
  InterimFlood,
  type Limit,
  literalAddressOf,
  publicLookup,
  send,
  TlsFailed,
  withinLimits,
} from '../../../../runtime/http/guarded-request.ts';
import { isPublicAddress } from '../../../../runtime/http/public-address.ts';
import { isListed } from '../../manage/check-hosts.ts';
import type { Run } from '../target.ts';
import { bucketUrl, hostOf, type S3Settings } from './s3-settings.ts';
import { errorCodeIn, listedKeys, nextToken, textIn } from './s3-xml.ts';

/** The objects of a bucket. Keys include the prefix. All functions throw TargetError. */
export interface S3Client {
  put(key: string, body: Uint8Array): Promise<void>;
  /** Null if there is no such object. */
  get(key: string): Promise<Buffer | null>;
  /** Also succeeds if there is no such object. */
  remove(key: string): Promise<void>;
  /** All keys that begin with a prefix, page by page. */
  list(prefix: string): AsyncIterable<readonly string[]>;
  /** Begins an object that is written in parts. */
  begin(key: string): Promise<string>;
  /** Writes a part of at least 5 MiB, unless it is the last one. Returns its tag. */
  putPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<string>;
  complete(key: string, uploadId: string, tags: readonly string[]): Promise<void>;
  abort(key: string, uploadId: string): Promise<void>;
  close(): void;
}

interface Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly mostBytes?: number;
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Longer answers that are not an object are no answers of a store. */
const mostAnswerBytes = 4 * 1024 * 1024;
/** The largest object that is read: a manifest. */
const mostObjectBytes = 256 * 1024 * 1024;
/** Short failures of a store end within a request's retries. */
const attempts = 3;

/** A client of a bucket. Addresses are checked when a connection is made, as those of webhook endpoints. */
export function s3Client(run: Run, settings: S3Settings): S3Client {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = settings;
  const { pace, config, held, resolve } = run;
  const base = bucketUrl(settings);
  const isAllowed = isListed(config, hostOf(settings));
  const kept = { keepAlive: true, timeout: 10_000 };
  const agent = base.protocol === 'https:' ? new https.Agent(kept) : new http.Agent(kept);
  const lookup = isAllowed ? {} : { lookup: publicLookup(resolve) };
  const limits = { connectMs: pace.connectMs, totalMs: pace.totalMs, signal: held.signal };

  const once = async (request: Request): Promise<Answer> => {
    const { method, key, query = {}, body, mostBytes = mostAnswerBytes } = request;
    const url = new URL(base);
    if (key !== '') url.pathname = `${base.pathname === '/' ? '' : base.pathname}/${key}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const given = { 'X-Amz-Content-Sha256': hash, 'Content-Length': String(body?.length ?? 0) };
    const signed = await new AwsV4Signer({
      ...{ method, url: url.href, headers: given, accessKeyId, secretAccessKey, region, service: 's3' },
    }).sign();
    const headers = Object.fromEntries(signed.headers);
    const outgoing = { method, headers, agent, ...(body === undefined ? {} : { body }), ...lookup };
    return withinLimits(
      limits,
      async (running) => {
        const response = await send(url, outgoing, running);
        const { statusCode: status = 0, headers } = response;
        return { status, headers, body: await bodyOf(response, mostBytes) };
      },
      (limit, error) => {
        throw error instanceof TargetError ? error : new TargetError(reasonOf(limit, error), error);
      },
    );
  };
  const ask = async (request: Request): Promise<Answer> => {
    refuseAddress(base, isAllowed);
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
    close: () => agent.destroy(),
    put: async (key, body) => void (await done({ method: 'PUT', key, body })),
    async get(key) {
      const answer = await ask({ method: 'GET', key, mostBytes: mostObjectBytes });
      if (answer.status === 200) return answer.body;
      if (answer.status === 404 && errorCodeIn(answer.body) !== 'NoSuchBucket') return null;
      throw new TargetError(failureOf(answer));
    },
    async remove(key) {
      const answer = await ask({ method: 'DELETE', key });
      const isGone = answer.status === 404 && errorCodeIn(answer.body) !== 'NoSuchBucket';
      if (!isGone && (answer.status < 200 || answer.status >= 300)) throw new TargetError(failureOf(answer));
    },
    async *list(prefix) {
      for (let token: string | null = ''; token !== null; ) {
        const more: Record<string, string> = token === '' ? {} : { 'continuation-token': token };
        const query = { 'list-type': '2', prefix, ...more };
        const { body } = await done({ method: 'GET', key: '', query });
        yield listedKeys(body);
        token = nextToken(body);
      }
    },
    async begin(key) {
      const { body } = await done({ method: 'POST', key, query: { uploads: '' } });
      return textIn(body, 'UploadId');
    },
    async putPart(key, uploadId, number, body) {
      const query = { partNumber: String(number), uploadId };
      const { headers } = await done({ method: 'PUT', key, query, body });
      if (headers.etag === undefined) throw new TargetError('answer_invalid');
      return headers.etag;
    },
    async complete(key, uploadId, tags) {
      const parts = tags.map(
        (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
      );
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      const answer = await done({ method: 'POST', key, query: { uploadId }, body });
      // The status of a completion is sent before its outcome.
      if (errorCodeIn(answer.body) !== '') throw new TargetError(failureOf({ ...answer, status: 500 }));
    },
    async abort(key, uploadId) {
      const answer = await ask({ method: 'DELETE', key, query: { uploadId } });
      // A store that has no uploads to abort has completed or lost it.
      const isGone = [404, 405, 501].includes(answer.status);
      if (!isGone && answer.status >= 300) throw new TargetError(failureOf(answer));
    },
  };
}

// A literal address is never resolved, so it is checked here.
function refuseAddress(url: URL, isAllowed: boolean): void {
  if (isAllowed) return;
  const literal = literalAddressOf(url);
  if (url.protocol !== 'https:' || (literal !== null && !isPublicAddress(literal)))
    throw new TargetError('address_refused');
}

async function bodyOf(response: http.IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of response) {
    chunks.push(Buffer.from(chunk));
    read += chunk.length;
    if (read > mostBytes) throw new TargetError('answer_invalid');
  }
  return Buffer.concat(chunks);
}

function reasonOf(limit: Limit | null, error: unknown): TargetErrorCode | 'stopped' {
  if (limit !== null) return limit;
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof TlsFailed) return 'tls_failed';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND') return 'name_unknown';
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
