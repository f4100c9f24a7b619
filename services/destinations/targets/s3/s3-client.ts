import { z } from 'zod';
import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import { withSession } from '../../session/session.ts';
import { checkedHost } from '../checked-address.ts';
import type { Run } from '../target.ts';
import { bucketUrl, hostOf, type S3Settings } from './s3-settings.ts';

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
