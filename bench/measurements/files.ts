import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { FileImport } from '../../contracts/file-import.ts';
import { filePartBytes } from '../../domain/file-part.ts';
import { fileFolder } from '../../services/file-import/reading/file-folder.ts';
import { startChild } from '../child.ts';
import { appleRecords } from '../files/apple-records.ts';
import type { Measurement } from '../measurement.ts';
import type { Product } from '../product.ts';
import { Id } from '../requests.ts';
import { inRounds, median } from '../rounds.ts';

const records = 400_000;
const storedRecords = 60_000;
const wanted = { perSecond: 100_000, mb: 300, ratio: 3 };
const Read = z.object({ items: z.int(), ms: z.number(), peak_mb: z.number() });

/** Files that are imported: reading an export of Apple Health, and storing what is in it. */
export const files: Measurement = {
  name: 'files',
  title: 'Imported files',
  hasOwnData: true,
  async *lines({ sizes, startEmpty, use, onEnd }) {
    yield `An export of Apple Health with ${records.toLocaleString('en')} records of a watch and a phone, stored in encrypted parts. A: read and normalised by the reader of imports. B: the same parts through the parser alone. Each is a process of its own. Then ${storedRecords.toLocaleString('en')} records from the request until the import is done, all services in one process.`;
    const folder = mkdtempSync(join(tmpdir(), 'bench-imports-'));
    onEnd(() => rmSync(folder, { recursive: true, force: true }));
    const env = { IMPORT_DIR: folder, ENCRYPTION_KEY: 'a secret of the bench with 32 characters' };
    const file = await written(env);
    const script = join(import.meta.dirname, '../files/read-process.ts');
    const [reading, parsing] = [use(startChild(script, env)), use(startChild(script, env))];
    const peaks: number[] = [];
    const msOf = (child: typeof reading, kind: 'parse' | 'read') => async () => {
      const { items, ms, peak_mb } = await child.ask(Read, { kind, ...file });
      if (items !== records) throw new Error(`${items} of ${records} records were read`);
      if (kind === 'read') peaks.push(peak_mb);
      return ms;
    };
    const sides = [msOf(reading, 'read'), msOf(parsing, 'parse')] as const;
    const [a = [], b = []] = await inRounds(sizes.rounds, sides);
    yield { what: 'an export read', figures: [a, b], unit: 'ms', goal: { most: wanted.ratio } };
    const perSecond = (1000 * records) / median(a);
    yield { what: 'records read', value: perSecond, unit: '/s', goal: { least: wanted.perSecond } };
    const peak = Math.max(...peaks);
    yield {
      what: 'resident memory of the reader at its peak',
      value: peak,
      unit: 'MB',
      goal: { most: wanted.mb },
    };
    const { product } = await startEmpty('', { IMPORT_DIR: folder });
    const [stored = []] = await inRounds(sizes.rounds, [() => importOnce(product)]);
    yield { what: 'records imported', value: (1000 * storedRecords) / median(stored), unit: '/s' };
  },
};

/** The export in the folder of imports. */
async function written(env: { readonly IMPORT_DIR: string; readonly ENCRYPTION_KEY: string }) {
  const folder = fileFolder({
    DATA_DIR: '',
    IMPORT_DIR: env.IMPORT_DIR,
    ENCRYPTION_KEY: [env.ENCRYPTION_KEY],
  });
  const id = randomUUID();
  let [bytes, part, pending] = [0, 0, Buffer.alloc(0)];
  for (const piece of appleRecords(records)) {
    bytes += piece.length;
    for (pending = Buffer.concat([pending, piece]); pending.length >= filePartBytes; part += 1) {
      await folder.write(id, part, pending.subarray(0, filePartBytes));
      pending = pending.subarray(filePartBytes);
    }
  }
  await folder.write(id, part, pending);
  return { id, bytes };
}

const pollMs = 20;

/** Imports an export for a new user; the time until it is done. */
async function importOnce(product: Product): Promise<number> {
  const { id: user } = Id.parse(await product.post('/users', { external_user_id: randomUUID() }));
  const body = Buffer.concat([...appleRecords(storedRecords)]);
  const began = performance.now();
  const headers = { 'X-API-Key': product.key, 'Content-Type': 'application/xml' };
  const answer = await fetch(`${product.url}/api/v1/users/${user}/imports`, {
    method: 'POST',
    headers,
    body,
  });
  let { id, state, items } = FileImport.parse(await answer.json());
  while (state !== 'done' && state !== 'failed') {
    await wait(pollMs);
    ({ id, state, items } = FileImport.parse(await product.get(`/users/${user}/imports/${id}`)));
  }
  if (items !== storedRecords) throw new Error(`${items} of ${storedRecords} records were imported`);
  return performance.now() - began;
}
