import type { Test } from 'tap';
import { FileImport } from '../../../contracts/file-import.ts';
import type { ImportBatch } from '../../../services/file-import/rules/batch.ts';
import { keepInMemory } from '../../../services/file-import/rules/content.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import type { Answer, Ask, TestApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';

/** Sends a file as the whole body. */
export function sendFile(
  api: Pick<TestApi, 'ask' | 'apiKey'>,
  userId: string,
  file: string | Uint8Array,
  as: Ask = {},
): Promise<Answer> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  const path = `/api/v1/users/${userId}/imports`;
  return api.ask(path, { key: api.apiKey, method: 'POST', body: file, headers, ...as });
}

/** Imports a file, and waits until it has ended. */
export async function importFile(
  api: TestApi,
  userId: string,
  file: string | Uint8Array,
): Promise<FileImport> {
  const answer = await sendFile(api, userId, file);
  if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.text}`);
  return ended(api, userId, FileImport.parse(answer.body).id);
}

/** Waits until an import has ended. As a client would, it asks again after a 503: a test may have cut the database off. */
export async function ended(api: TestApi, userId: string, id: string): Promise<FileImport> {
  let last: FileImport | null = null;
  await until(async () => {
    const { status, body, text } = await api.ask(`/api/v1/users/${userId}/imports/${id}`, {
      key: api.apiKey,
    });
    if (status === 503) return false;
    if (status !== 200) throw new Error(`${status}: ${text}`);
    last = FileImport.parse(body);
    return last.finished_at !== null;
  }, `the import ${id} to end`);
  return FileImport.parse(last);
}

/** What was skipped, as `2 .jpg: the reason`, in order. */
export const namesOf = (skipped: FileImport['skipped']): string[] =>
  skipped.map(({ type, reason, items }) => `${items} ${type}: ${reason}`).toSorted();

/** Reads a file on from each of its parts, as an import does that was interrupted. */
export async function expectSameFromEachPart(t: Test, file: Buffer): Promise<void> {
  const bytes = { length: file.length, from: async (at: number) => file.subarray(at, at + 65_536) };
  const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };
  const whole = await partsOf(openFile(bytes, context));
  t.ok(whole.length > 1, `${whole.length} parts`);
  for (const [index, { cursor, position }] of whole.slice(0, -1).entries()) {
    const options = { cursor, password: null, keep: keepInMemory };
    const rest = await partsOf(openFile(bytes, { ...context, skip: position }, options));
    t.same(rest, whole.slice(index + 1));
  }
}

async function partsOf(opened: ReturnType<typeof openFile>): Promise<ImportBatch[]> {
  const parts: ImportBatch[] = [];
  for await (const batch of (await opened).batches) if (batch !== null) parts.push(batch);
  return parts;
}

/** The attributes of an element. */
function attributesOf(values: Readonly<Record<string, string | number>>): string {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

/** An element of an export. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] = [],
): string {
  const begin = ` <${name}${attributesOf(attributes)}`;
  return content.length === 0 ? `${begin}/>` : `${begin}>\n${content.join('\n')}\n </${name}>`;
}

/** The sources of an export. */
export const watch = {
  sourceName: 'Apple Watch of a user',
  sourceVersion: '10.1',
  device:
    '<<HKDevice: 0x281b2c4d0>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7, software:10.1>',
};
export const iphone = {
  sourceName: 'iPhone of a user',
  sourceVersion: '17.1',
  device:
    '<<HKDevice: 0x281b2c4e0>, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone15,2, software:17.1>',
};

/** A record of an export; `at` and `until` are `07:00:00` of 2 March 2026 or whole times. */
export function record(
  type: string,
  at: string,
  end: string,
  fields: Readonly<Record<string, string | number>> = {},
  content: readonly string[] = [],
): string {
  const time = (text: string) => (text.length === 25 ? text : `2026-03-02 ${text} +0100`);
  const prefix = type.startsWith('HK') ? '' : 'HKQuantityTypeIdentifier';
  return element(
    'Record',
    {
      ...{ type: prefix + type, ...watch, creationDate: time(end), startDate: time(at), endDate: time(end) },
      ...fields,
    },
    content,
  );
}

/** An export as the phone writes it, with its document type. */
export function appleExport(entries: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!-- Note: Any Records that appear as children of a correlation also appear as top-level records in this document. -->
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
]>
<HealthData locale="en_DE">
 <ExportDate value="2026-03-03 08:00:00 +0100"/>
 <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-01-01"/>
${entries.join('\n')}
</HealthData>
`;
}
