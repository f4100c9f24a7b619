import { crc32 } from 'node:zlib';
import t from 'tap';
import { fitOf, recordedRun } from '../../../sandbox/files/recorded-run.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { FileProblem } from '../../../services/file-import/rules/file-bytes.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';

const startMs = Date.parse('2026-03-02T07:00:00Z');
const run = Buffer.from(fitOf(recordedRun('a run', startMs, startMs + 600_000), 60));

const largest16 = 0xffff;
const largest32 = 0xffffffff;
const zip64 = 45;

/** A member that is stored as it is: its headers with 64-bit sizes, in the archive and in the directory. */
function headersOf(name: string, size: number, crc: number, offset: number) {
  const sizes = (count: number) => {
    const field = Buffer.alloc(4 + 8 * count);
    field.writeUInt16LE(1, 0);
    field.writeUInt16LE(8 * count, 2);
    field.writeBigUInt64LE(BigInt(size), 4);
    field.writeBigUInt64LE(BigInt(size), 12);
    if (count === 3) field.writeBigUInt64LE(BigInt(offset), 20);
    return field;
  };
  const common = Buffer.alloc(26);
  common.writeUInt16LE(zip64, 0);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(largest32, 14);
  common.writeUInt32LE(largest32, 18);
  common.writeUInt16LE(name.length, 22);
  const ofMember = Buffer.from(common);
  ofMember.writeUInt16LE(sizes(2).length, 24);
  common.writeUInt16LE(sizes(3).length, 24);
  const place = Buffer.alloc(14);
  place.writeUInt32LE(largest32, 10);
  const text = Buffer.from(name);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), ofMember, text, sizes(2)]),
    listed: Buffer.concat([Buffer.from('PK\x01\x02\x2d\x00', 'latin1'), common, place, text, sizes(3)]),
  };
}

/** The end of an archive, with 64-bit positions. */
function endOf(members: number, directoryBytes: number, directoryAt: number): Buffer {
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(zip64, 12);
  record.writeUInt16LE(zip64, 14);
  for (const at of [24, 32]) record.writeBigUInt64LE(BigInt(members), at);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(directoryAt), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(directoryAt + directoryBytes), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  for (const at of [8, 10]) end.writeUInt16LE(largest16, at);
  for (const at of [12, 16]) end.writeUInt32LE(largest32, at);
  return Buffer.concat([record, locator, end]);
}

t.test('a member behind 5 GiB of others is read', async (t) => {
  const video = 5 * 1024 ** 3;
  const first = headersOf('a.mp4', video, 0, 0);
  const fitAt = first.local.length + video;
  const second = headersOf('b.fit', run.length, crc32(run), fitAt);
  const directory = Buffer.concat([first.listed, second.listed]);
  const directoryAt = fitAt + second.local.length + run.length;
  const end = endOf(2, directory.length, directoryAt);
  const rest = Buffer.concat([second.local, run, directory, end]);
  // The zeros of the video are made when they are read.
  const zeros = Buffer.alloc(512 * 1024);
  const bytes = {
    length: fitAt + rest.length,
    async from(at: number) {
      if (at < first.local.length) return first.local.subarray(at);
      return at < fitAt ? zeros.subarray(0, Math.min(zeros.length, fitAt - at)) : rest.subarray(at - fitAt);
    },
  };
  const { kind, members, batches } = await openFile(bytes, {
    nowMs: startMs + 1e9,
    rules: null,
    timeZone: null,
    skip: 0,
  });
  t.same({ kind, members }, { kind: 'archive', members: 2 });
  t.match((await batches.next()).value, {
    ...{ counts: { workouts: 1 }, progress: 1 },
    skipped: [{ type: '.mp4', reason: 'Members of this kind are not read.' }],
  });
});

const context = { nowMs: startMs + 1e9, rules: null, timeZone: null, skip: 0 };
const bytesOf = (file: Buffer) => ({ length: file.length, from: async (at: number) => file.subarray(at) });

/** An archive of one archive that states very many members, though it has none. */
const empty = (members: number) => Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), endOf(members, 0, 4)]);

t.test('an archive with too many members is refused before they are listed', async (t) => {
  const refused = new FileProblem('The archive has too many files.');
  await t.rejects(openFile(bytesOf(empty(200_001)), context), refused);
  await t.rejects(
    openFile(bytesOf(empty(200_000)), context),
    new FileProblem('The archive is cut off or damaged.'),
  );
});

t.test('members of archives within an archive count too, and end the import', async (t) => {
  const tables = [1, 2, 3].map((number) => ({
    name: `${number}.csv`,
    bytes: Buffer.from(`type,timestamp,value\nheart_rate,2026-03-02T07:0${number}:00Z,60`),
  }));
  const file = zipOf([
    ...tables,
    { name: '2.zip', bytes: empty(199_997) },
    { name: '4.csv', bytes: Buffer.from('x') },
  ]);
  const { batches } = await openFile(bytesOf(file), context);
  t.match((await batches.next()).value, { counts: { heart_rate: 2 } }, 'what stands before is stored');
  await t.rejects(batches.next(), new FileProblem('The archive has too many files.'));
});
