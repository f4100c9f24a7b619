import { z } from 'zod';
import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import { Text } from '../../../../../domain/wire.ts';
import type { TargetHost } from '../../../rules/allowed-hosts.ts';
import { withSession } from '../../session/session.ts';
import { checkedHost } from '../checked-address.ts';
import type { Run } from '../target.ts';

const endpointForm = 'must be an http or https URL without path, user name and query';

/** The settings of a bucket. */
export const S3Settings = z.strictObject({
  endpoint: Text.max(500)
    .pipe(z.url({ protocol: /^https?$/, error: endpointForm }))
    .transform((text) => new URL(text))
    .refine(({ origin, href }) => `${origin}/` === href, endpointForm)
    .transform(({ origin }) => origin),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,50}$/, 'must have 1 to 50 lower-case letters, digits and hyphens')
    .default('us-east-1'),
  bucket: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
    ),
  prefix: z
    .string()
    .max(200, 'must be at most 200 characters')
    .regex(
      /^([\w.-]+(\/[\w.-]+)*)?$/,
      'must be folders of letters, digits, dots, hyphens and underscores, without / at both ends',
    )
    .refine(
      (text) => !text.split('/').some((part) => /^\.+$/.test(part)),
      'must not contain . or .. as a folder',
    )
    .default(''),
  access_key_id: z
    .string()
    .min(1, 'must not be empty')
    .max(200)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks'),
  secret_access_key: z
    .string()
    .min(1, 'must not be empty')
    .max(500)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks'),
  /** The bucket is a part of the host, and not of the path. */
  virtual_host: z.boolean().default(false),
  /** A file is written at most once in this time. */
  interval_seconds: z.int().min(1, 'must be at least 1').max(86_400, 'must be at most 86400').default(300),
  /** Days before today that have a file for each hour. */
  hourly_days: z.int().min(0, 'must be at least 0').max(31, 'must be at most 31').default(1),
});
export type S3Settings = z.infer<typeof S3Settings>;

/** The address of the bucket. */
export function bucketUrl({ endpoint, bucket, virtual_host }: S3Settings): URL {
  const url = new URL(endpoint);
  if (virtual_host) url.host = `${bucket}.${url.host}`;
  else url.pathname = `/${bucket}`;
  return url;
}

/** The host that requests are sent to. */
export function hostOf(settings: S3Settings): TargetHost {
  const { hostname, port, protocol } = bucketUrl(settings);
  const isEncrypted = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port === '' ? (isEncrypted ? 443 : 80) : Number(port), isEncrypted };
}

/** The objects of a bucket. Keys include the prefix. All functions throw TargetError. */
export interface S3Client {
  put(key: string, body: Uint8Array): Promise<void>;
  /** Also succeeds if there is no such object. */
  remove(key: string): Promise<void>;
  /** All keys that begin with a prefix, page by page. @throws TargetError `list_too_long` beyond `mostKeys` */
  list(prefix: string, mostKeys: number): AsyncIterable<readonly string[]>;
  /** Begins an object that is written in parts. */
  begin(key: string): Promise<string>;
  /** Writes a part of at least 5 MiB, unless it is the last one. Returns its tag. */
  putPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<string>;
  complete(key: string, uploadId: string, tags: readonly string[]): Promise<void>;
  abort(key: string, uploadId: string): Promise<void>;
}

const Nothing = z.void();
const Page = z.object({ keys: z.array(z.string()), next: z.string().nullable() });
/** A page of 1,000 keys has 500 kB. */
const pageBytes = 2 * 1024 * 1024;
/** A page counts as this many keys at least. */
const leastPerPage = 100;

/** Runs `work` with a bucket. Its addresses are checked, as those of webhook endpoints. */
export async function withBucket<T>(
  run: Run,
  settings: S3Settings,
  work: (client: S3Client) => Promise<T>,
): Promise<T> {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = settings;
  const host = await checkedHost(run, hostOf(settings));
  const bucket = { host, url: bucketUrl(settings).href, region, accessKeyId, secretAccessKey };
  return withSession(run, { kind: 's3', bucket }, ({ call }) =>
    work({
      put: (key, body) => call(Nothing, 'put', [key, body]),
      remove: (key) => call(Nothing, 'remove', [key]),
      async *list(prefix, mostKeys) {
        let [token, listed]: [string | null, number] = [null, 0];
        do {
          const { keys, next }: z.infer<typeof Page> = await call(Page, 'list', [prefix, token], pageBytes);
          listed += Math.max(keys.length, leastPerPage);
          if (listed > mostKeys) throw new TargetError('list_too_long');
          yield keys;
          token = next;
        } while (token !== null);
      },
      begin: (key) => call(z.string(), 'begin', [key]),
      putPart: (key, uploadId, number, body) => call(z.string(), 'putPart', [key, uploadId, number, body]),
      complete: (key, uploadId, tags) => call(Nothing, 'complete', [key, uploadId, tags]),
      abort: (key, uploadId) => call(Nothing, 'abort', [key, uploadId]),
    }),
  );
}
