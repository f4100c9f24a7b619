import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BytesUnavailable, chunksOf, type FileBytes, FileProblem, type UnpackBudget } from './file-bytes.ts';
import { mostRatio, smallBytes } from './zip.ts';

/** The content of a file, or of a member of an archive, which is read once. */
export interface Content {
  /** The beginning, by which its kind is recognised. */
  readonly head: Buffer;
  /** The bytes that it unpacks to; infinite if it does not state them. */
  readonly length: number;
  /** All bytes in order. */
  chunks(): AsyncIterable<Buffer>;
  /** All bytes by position: those of a member are kept by `keep`, as those of a level of archives. */
  bytes(keep: Keep, level: number): Promise<FileBytes>;
  /** Frees content that is not read. */
  close(): Promise<void>;
}

/** Keeps bytes so that they can be read by position, until others of the same level are kept. */
export type Keep = (chunks: AsyncIterable<Buffer>, level: number) => Promise<FileBytes>;

const headBytes = 64 * 1024;

/** A file whose bytes can be read by position. */
export async function contentOfFile(bytes: FileBytes): Promise<Content> {
  return {
    head: await bytes.from(0),
    length: bytes.length,
    chunks: () => chunksOf(bytes),
    bytes: async () => bytes,
    close: async () => undefined,
  };
}

/** A member of an archive, which is unpacked while it is read. */
export async function contentOfChunks(source: AsyncIterable<Buffer>, length: number): Promise<Content> {
  const iterator = source[Symbol.asyncIterator]();
  const close = async () => {
    await iterator.return?.();
  };
  const first: Buffer[] = [];
  for (let size = 0; size < headBytes; ) {
    const next = await iterator.next();
    if (next.done === true) break;
    size += next.value.length;
    first.push(next.value);
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield* first.splice(0);
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    } finally {
      await close();
    }
  }
  return { head: Buffer.concat(first), length, chunks, bytes: (keep, level) => keep(chunks(), level), close };
}

/** Whether content is compressed by gzip. */
const isGzip = ({ head }: Pick<Content, 'head'>) => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Content as it is without gzip, which is unpacked while it is read, up to the bounds of an archive. @throws FileProblem if it is
 * damaged, or compressed twice
 */
export async function withoutGzip(content: Content, budget: UnpackBudget): Promise<Content> {
  if (!isGzip(content)) return content;
  const unpacked = await contentOfChunks(gunzipped(content, budget), Number.POSITIVE_INFINITY);
  if (!isGzip(unpacked)) return unpacked;
  await unpacked.close();
  throw new FileProblem('A file that is compressed twice is not read.');
}

async function* gunzipped(content: Content, budget: UnpackBudget): AsyncGenerator<Buffer> {
  let [packed, bytes] = [0, 0];
  async function* counted() {
    for await (const chunk of content.chunks()) {
      packed += chunk.length;
      yield chunk;
    }
  }
  const source = Readable.from(counted(), { objectMode: false });
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) {
      const unpacked: Buffer = chunk;
      bytes += unpacked.length;
      budget.addBytes(unpacked.length);
      if (bytes > smallBytes && bytes > packed * mostRatio)
        throw new FileProblem('A compressed file unpacks to too many times its size.');
      yield unpacked;
    }
  } catch (error) {
    if (error instanceof FileProblem || error instanceof BytesUnavailable) throw error;
    throw new FileProblem('A compressed file is cut off or damaged.');
  } finally {
    gunzip.destroy();
    source.destroy();
  }
}

/** The most bytes of a member that are kept in memory: those of a FIT file. */
const mostHeldBytes = 64 * 1024 * 1024;

/** Keeps bytes in memory, and no more of them than a FIT file may have. */
export const keepInMemory: Keep = async (chunks) => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    parts.push(chunk);
    if (length > mostHeldBytes) throw new FileProblem('A FIT file has at most 64 MiB.');
  }
  let [part, begin] = [0, 0];
  return {
    length,
    async from(position) {
      if (position < begin) [part, begin] = [0, 0];
      for (let size = parts[part]?.length ?? 0; position >= begin + size && part < parts.length; ) {
        begin += size;
        part += 1;
        size = parts[part]?.length ?? 0;
      }
      return parts[part]?.subarray(position - begin) ?? Buffer.alloc(0);
    },
  };
};
