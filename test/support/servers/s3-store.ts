import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';

/** The parts of the store that are used. It has no types of its own. */
interface Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}
interface ServerOptions {
  readonly address: string;
  readonly port: number;
  readonly silent: boolean;
  readonly directory: string;
  readonly vhostBuckets: boolean;
  readonly configureBuckets: readonly { readonly name: string }[];
}
const S3rver: new (options: ServerOptions) => Server = createRequire(import.meta.url)('@20minutes/s3rver');

/** A store that speaks S3, on this machine. */
export interface S3Store {
  readonly endpoint: string;
  readonly host: string;
  readonly settings: {
    readonly endpoint: string;
    readonly bucket: string;
    readonly access_key_id: string;
    readonly secret_access_key: string;
  };
  keys(prefix?: string): Promise<string[]>;
  get(key: string): Promise<Buffer | null>;
  put(key: string, body: string): Promise<void>;
  stop(): Promise<void>;
}

const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const bucket = 'health-data';

/** Starts a store with a bucket. `stop` deletes its files. */
export async function startS3Store(): Promise<S3Store> {
  const directory = await mkdtemp(join(tmpdir(), 'pulsebus-s3-'));
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false },
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new AwsClient({ ...credentials, service: 's3', region: 'us-east-1', retries: 0 });
  const ask = (path: string, init: RequestInit = {}) => client.fetch(`${endpoint}/${bucket}${path}`, init);
  return {
    endpoint,
    host: `127.0.0.1:${port}`,
    settings: {
      ...{ endpoint, bucket, access_key_id: credentials.accessKeyId },
      secret_access_key: credentials.secretAccessKey,
    },
    async keys(prefix = '') {
      const answer = await ask(`?list-type=2&max-keys=1000&prefix=${encodeURIComponent(prefix)}`);
      return [...(await answer.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    },
    async get(key) {
      // Unlike S3 this store has no whole writes: while an object is overwritten, a read gets 500 or a part of it.
      for (let left = 100; left > 0; left--) {
        const answer = await ask(`/${key}`);
        if (answer.status === 404) return null;
        const body = Buffer.from(await answer.arrayBuffer());
        if (answer.ok && isWhole(body, answer.headers.get('etag') ?? '')) return body;
        await sleep(20);
      }
      throw new Error(`the store has no whole ${key}`);
    },
    async put(key, body) {
      const { status } = await ask(`/${key}`, { method: 'PUT', body });
      if (status !== 200) throw new Error(`the store answered ${status}`);
    },
    async stop() {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

// The tag of an object that was written in parts is no hash of its bytes.
function isWhole(body: Buffer, tag: string): boolean {
  return tag.includes('-') || tag === `"${createHash('md5').update(body).digest('hex')}"`;
}
