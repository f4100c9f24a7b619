import { mkdir, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../../config.ts';
import { filePartBytes } from '../../../domain/file-part.ts';
import { bodyCipherOf } from '../../../mixins/inbox/body-cipher.ts';
import { BytesUnavailable, type FileBytes } from '../rules/file-bytes.ts';

/** The settings of the folder. */
export type FolderSettings = Pick<Config, 'DATA_DIR' | 'ENCRYPTION_KEY' | 'IMPORT_DIR'>;

/** The files that are imported: a folder for each, with its parts, which are compressed and encrypted on their own. */
export interface FileFolder {
  /** Stores a part in place of what was there. */
  write(id: string, part: number, bytes: Buffer): Promise<void>;
  /** A part as it arrived. @throws if it is not there, or no configured secret decrypts it */
  read(id: string, part: number): Promise<Buffer>;
  remove(id: string): Promise<void>;
  /** The ids of all files. Other entries of the folder are ignored. */
  ids(): Promise<string[]>;
  freeBytes(): Promise<number>;
}

const ownerOnly = { folder: 0o700, file: 0o600 };
const keyIdBytes = 8;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The folder that IMPORT_DIR names. */
export function fileFolder(settings: FolderSettings): FileFolder {
  const root = resolve(settings.IMPORT_DIR ?? join(settings.DATA_DIR, 'imports'));
  const cipher = () => bodyCipherOf(settings);
  const folderOf = (id: string) => join(root, id);
  const fileOf = (id: string, part: number) => join(folderOf(id), String(part));
  const boundTo = (id: string, part: number) => `import ${id} ${part}`;
  const ensure = (path: string) => mkdir(path, { recursive: true, mode: ownerOnly.folder });
  return {
    async write(id, part, bytes) {
      const { key_id, sealed } = await cipher().encrypt(bytes, boundTo(id, part));
      await ensure(folderOf(id));
      const path = fileOf(id, part);
      await writeFile(`${path}.new`, Buffer.concat([Buffer.from(key_id), sealed]), { mode: ownerOnly.file });
      await rename(`${path}.new`, path);
    },
    async read(id, part) {
      const sealedPart = await readFile(fileOf(id, part));
      const key_id = sealedPart.toString('latin1', 0, keyIdBytes);
      return cipher().decrypt({ key_id, sealed: sealedPart.subarray(keyIdBytes) }, boundTo(id, part));
    },
    remove: (id) => rm(folderOf(id), { recursive: true, force: true }),
    async ids() {
      await ensure(root);
      const entries = await readdir(root, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory() && uuid.test(entry.name)).map(({ name }) => name);
    },
    async freeBytes() {
      await ensure(root);
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },
  };
}

/** The bytes of a stored file. The last part is kept: a reader asks for the same one again and again. */
export function fileBytes(folder: Pick<FileFolder, 'read'>, id: string, length: number): FileBytes {
  let last: { readonly part: number; readonly bytes: Promise<Buffer> } | null = null;
  return {
    length,
    async from(position) {
      if (position >= length) return Buffer.alloc(0);
      const part = Math.floor(position / filePartBytes);
      if (last?.part !== part) last = { part, bytes: folder.read(id, part).catch(throwUnavailable) };
      return (await last.bytes).subarray(position - part * filePartBytes);
    },
  };
}

function throwUnavailable(cause: unknown): never {
  throw new BytesUnavailable('The stored file cannot be read.', { cause });
}
