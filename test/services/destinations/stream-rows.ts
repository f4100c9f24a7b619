import { z } from 'zod';
import { columnList, rowKindOf } from '../../../domain/destinations/columns.ts';
import type { JetstreamServer } from '../../support/servers/jetstream.ts';
import { lineOf, textOf } from './manifest-rows.ts';

/** A message of a stream, as its readers see it. */
export const StreamMessage = z.object({
  version: z.literal(1),
  destination_id: z.string(),
  generation: z.string(),
  sequence: z.string(),
  action: z.enum(['replace', 'delete', 'erase', 'complete']),
  type: z.string(),
  kind: z.string().optional(),
  user_id: z.string().optional(),
  common: z.record(z.string(), z.unknown()).optional(),
  replaces: z
    .union([
      z.object({ start: z.number().nullable(), end: z.number().nullable() }),
      z.object({ column: z.string(), values: z.array(z.string()) }),
    ])
    .optional(),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(z.unknown())).optional(),
});
export type StreamMessage = z.infer<typeof StreamMessage>;

type Row = Readonly<Record<string, unknown>> & { readonly generation: bigint; readonly row_type: string };

/** Applies messages in their order, as a consumer does. Returns the rows. A repeated message changes nothing. */
export function applied(messages: readonly StreamMessage[]): Row[] {
  let rows: Row[] = [];
  for (const message of messages) {
    const { action, type, user_id, common = {}, columns = [], generation } = message;
    const own = (message.rows ?? []).map((values) => ({
      ...common,
      ...Object.fromEntries(columns.map((name, index) => [name, values[index]])),
      ...{ row_type: type, generation: BigInt(generation) },
    }));
    if (action === 'erase') rows = rows.filter((row) => row.user_id !== user_id);
    else if (action === 'complete') rows = rows.filter((row) => row.generation >= BigInt(generation));
    else rows = [...rows.filter((row) => !isReplaced(message, row)), ...own];
  }
  return rows;
}

function isReplaced({ type, user_id, common = {}, replaces }: StreamMessage, row: Row): boolean {
  if (row.row_type !== type || row.user_id !== user_id || replaces === undefined) return false;
  if ('column' in replaces) return replaces.values.some((value) => value === row[replaces.column]);
  const { start, end } = replaces;
  const time = Number(row.time);
  const isSource = Object.entries(common).every(([name, value]) => row[name] === value);
  return isSource && (start === null || time >= start) && (end === null || time < end);
}

/** The rows that a consumer of a stream has, as lines of text. */
export async function rowsInStream(server: JetstreamServer, stream: string): Promise<string[]> {
  const messages = await server.messages(stream);
  const rows = applied(messages.map(({ text }) => StreamMessage.parse(JSON.parse(text))));
  return rows
    .map((row) => {
      const names = columnList(rowKindOf(row.row_type)).map(({ name }) => name);
      const shown = names.filter((name) => name !== 'type' || rowKindOf(row.row_type) !== 'sample');
      return lineOf(
        row.row_type,
        shown.map((name) => textOf(row[name])),
      );
    })
    .toSorted();
}
