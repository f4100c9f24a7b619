import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import t from 'tap';
import { rowsPerBatch } from '../../../services/destinations/tables/samples.ts';
import { sampleFile } from '../../../services/destinations/work/targets/s3/write-partition.ts';

const rows = 10 * rowsPerBatch;
const values = Array.from({ length: rows }, (_, n) => (n % 7) / 2);
const us = (n: number) => 1_772_323_200_000_000 + n * 1_000_001;

/** A file of samples that are added in batches. */
async function written(): Promise<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const file = sampleFile(async (bytes) => void parts.push(bytes));
  const source = { user_id: '5b0e4b1c-0000-4000-8000-000000000001', provider: 'phone', device: 'Watch' };
  for (let first = 0; first < rows; first += rowsPerBatch)
    await file.add({
      rows: rowsPerBatch,
      sources: [{ ...source, recording_method: null }],
      series: new Uint16Array(rowsPerBatch),
      time: Float64Array.from({ length: rowsPerBatch }, (_, n) => us(first + n)),
      value: Float64Array.from(values.slice(first, first + rowsPerBatch)),
      zone: new Int16Array(rowsPerBatch).fill(60),
      duration: null,
    });
  const rest = (await file.finish())?.rest ?? new Uint8Array();
  return new Uint8Array(Buffer.concat([...parts, rest])).buffer;
}

t.test('a file of several row groups has each row once, in order', async (t) => {
  const file = await written();
  const found = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  t.same(
    found.map(({ value }) => value),
    values,
  );
  t.same([found[0]?.time, found.at(-1)?.time], [new Date(us(0) / 1000), new Date(us(rows - 1) / 1000)]);
});

t.test('no array of a row group is a large object, of which V8 keeps many', async (t) => {
  const pointerBytes = 8;
  const groups = parquetMetadata(await written()).row_groups.map(({ num_rows }) => Number(num_rows));
  t.equal(
    groups.reduce((sum, n) => sum + n),
    rows,
  );
  t.same(
    groups.filter((n) => n * pointerBytes >= 128 * 1024 - 64),
    [],
  );
});
