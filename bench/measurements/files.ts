import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { FileImport } from '../../contracts/file-import.ts';
import { filePartBytes } from '../../domain/file-part.ts';
import { fileFolder } from '../../services/file-import/work/file-folder.ts';
import { serviceNames } from '../../stack/processes/services.ts';
import { startChild } from '../child.ts';
import { appleRecords } from '../files/apple-records.ts';
import type { Line } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { megabytesOf, type Product, startServices } from '../product.ts';
import { Id } from '../requests.ts';
import { inRounds, median } from '../rounds.ts';

const records = 400_000;
const storedRecords = 60_000;
/** So many that the memory of the process grows no further. */
const heldRecords = 200_000;
const wanted = { perSecond: 100_000, mb: 300, ratio: 3 };
const Read = z.object({ items: z.int(), ms: z.number(), peak_mb: z.number() });

/** Files that are imported: reading an export of Apple Health, and storing what is in it. */
export const files: Measurement = {
  name: 'files',
  title: 'Imported files',
  hasOwnData: true,
  async *lines(bench) {
    const { sizes, startEmpty, use, onEnd } = bench;
    yield `An export of Apple Health with ${records.toLocaleString('en')} records of a watch and a phone, stored in encrypted parts. A: read and normalised by the reader of imports. B: the same parts through the parser alone. Each is a process of its own. Then ${storedRecords.toLocaleString('en')} records from the request until the import is done, all services in one process, and ${heldRecords.toLocaleString('en')} with file-import in a process of its own.`;
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
    const { product, databaseUrl } = await startEmpty('', { IMPORT_DIR: folder });
    const [stored = []] = await inRounds(sizes.rounds, [() => importOnce(product, storedRecords)]);
    yield { what: 'records imported', value: (1000 * storedRecords) / median(stored), unit: '/s' };
    await product.stop();
    yield* memoryAlone(bench, databaseUrl, { IMPORT_DIR: folder });
  },
};

/** The memory of a process that runs file-import alone, before an import and at its peak. */
async function* memoryAlone(
  { natsUrl, start, use }: Bench,
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): AsyncGenerator<Line> {
  if (natsUrl === null) return;
  const shared = { databaseUrl, natsUrl, settings };
  const alone = use(startServices({ ...shared, services: ['file-import'] }));
  const others = await start({ ...shared, services: serviceNames.filter((name) => name !== 'file-import') });
  const { rss } = await megabytesOf(alone);
  await importOnce(others, heldRecords);
  const { peak: value } = await megabytesOf(alone);
  const what = 'resident memory of a process with file-import alone, at its peak';
  yield { what, value, unit: 'MB', goal: { most: wanted.mb }, note: `(${rss.toFixed(0)} MB at rest)` };
}

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
async function importOnce(product: Product, count: number): Promise<number> {
  const { id: user } = Id.parse(await product.post('/users', { external_user_id: randomUUID() }));
  const body = Buffer.concat([...appleRecords(count)]);
  const path = `/users/${user}/imports`;
  const headers = { 'X-API-Key': product.key, 'Content-Type': 'application/xml' };
  await product.untilServed(path);
  const began = performance.now();
  const answer = await fetch(`${product.url}/api/v1${path}`, { method: 'POST', headers, body });
  let { id, state, items } = FileImport.parse(await answer.json());
  while (state !== 'done' && state !== 'failed') {
    await wait(pollMs);
    ({ id, state, items } = FileImport.parse(await product.get(`${path}/${id}`)));
  }
  if (items !== count) throw new Error(`${items} of ${count} records were imported`);
  return performance.now() - began;
}
