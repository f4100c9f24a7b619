import { columnList, type RecordKind } from '../../../../domain/destinations/columns.ts';
import type { KeyColumn, ReplacedKey } from '../../copy/plan-changes.ts';
import type { ReadRecord } from '../../read/records.ts';
import { type Publisher, recordColumns } from './messages.ts';

interface Row {
  readonly user_id: string;
  readonly key: string;
  readonly text: string;
}

function rowOf(kind: RecordKind, column: KeyColumn, { values }: ReadRecord): Row {
  const textOf = (name: string) => String(values[columnList(kind).findIndex((one) => one.name === name)]);
  return { user_id: textOf('user_id'), key: textOf(column), text: JSON.stringify(values) };
}

/** Sends the records of keys of one kind: with the keys that have any, and the keys that have none, in messages of bounded size. */
export async function sendReplaced(
  publisher: Publisher,
  kind: RecordKind,
  column: KeyColumn,
  keys: readonly ReplacedKey[],
  records: readonly ReadRecord[],
): Promise<void> {
  const placed = (one: Pick<Row, 'user_id' | 'key'>) => `${one.user_id} ${one.key}`;
  const rows = Map.groupBy(
    records.map((record) => rowOf(kind, column, record)),
    placed,
  );
  const byUser = Map.groupBy(keys, (one) => `${one.user_id} ${rows.has(placed(one))}`);
  for (const own of byUser.values()) {
    let [waiting, bytes]: [ReplacedKey[], number] = [[], 0];
    const send = async () => {
      await sendKeys(
        publisher,
        kind,
        column,
        waiting,
        waiting.flatMap((one) => rows.get(placed(one)) ?? []),
      );
      [waiting, bytes] = [[], 0];
    };
    for (const key of own) {
      const texts = rows.get(placed(key)) ?? [];
      const more = texts.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, key.key.length + 3);
      if (waiting.length > 0 && bytes + more > publisher.rowBytes) await send();
      waiting.push(key);
      bytes += more;
    }
    await send();
  }
}

function sendKeys(
  publisher: Publisher,
  kind: RecordKind,
  column: KeyColumn,
  keys: readonly ReplacedKey[],
  rows: readonly Row[],
): Promise<void> {
  const sequence = keys
    .map(({ sequence }) => BigInt(sequence))
    .reduce((one, other) => (one > other ? one : other), 0n);
  const [first] = keys;
  return publisher.send(
    {
      ...{ action: rows.length === 0 ? 'delete' : 'replace', kind, type: kind, sequence: String(sequence) },
      ...(first === undefined ? {} : { user_id: first.user_id }),
      replaces: { column, values: keys.map(({ key }) => key) },
      columns: recordColumns(kind),
    },
    rows.map(({ text }) => text),
  );
}

/** Sends records that are copied: each replaces the one of its id. */
export function sendCopied(
  publisher: Publisher,
  kind: RecordKind,
  sequence: string,
  records: readonly ReadRecord[],
): Promise<void> {
  const column = kind === 'user' ? 'user_id' : 'id';
  const keys = records.map((record) => ({ ...rowOf(kind, column, record), kind, sequence }));
  return sendReplaced(publisher, kind, column, keys, records);
}
