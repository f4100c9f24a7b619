import {
  expectEnd,
  JsonError,
  type JsonScan,
  jsonScan,
  kindOf,
  passList,
  passValue,
  readObject,
  readValue,
} from '../../../domain/json/json-scan.ts';
import { type UploadList, uploadLists } from '../../../providers/phone/upload.ts';

/** Where the lists of an upload begin, and how many items they have. */
export interface UploadOutline {
  /** The value of the field `provider`. */
  readonly provider: unknown;
  /** The position of each list that is there. */
  readonly lists: ReadonlyMap<UploadList, number>;
  readonly received: number;
}

/**
 * Finds the lists of an upload. Values are not validated, so that an invalid one does not affect the others. Null: the body has no
 * object `data`. @throws JsonError if the body is not JSON beside its values
 */
export function outlineOf(bytes: Buffer): UploadOutline | null {
  const scan = jsonScan(bytes);
  let data: Lists | null = null;
  let provider: unknown;
  if (kindOf(scan) === 'object')
    readObject(scan, (key) => {
      if (key === 'data') data = listsOf(scan);
      else if (key === 'provider') provider = valueOrNull(scan);
      else passValue(scan);
    });
  else readValue(scan);
  expectEnd(scan);
  return data === null ? null : outline(data, provider);
}

type Lists = ReadonlyMap<UploadList, { readonly at: number; readonly count: number }>;

function outline(data: Lists, provider: unknown): UploadOutline {
  const lists = [...data].map(([list, { at }]) => [list, at] as const);
  return {
    provider,
    lists: new Map(lists),
    received: [...data.values()].reduce((sum, { count }) => sum + count, 0),
  };
}

// As in JSON.parse, the last of several values of a name counts.
function listsOf(scan: JsonScan): Lists | null {
  const lists = new Map<UploadList, { at: number; count: number }>();
  if (kindOf(scan) !== 'object') return passed(scan);
  readObject(scan, (key) => {
    const list = uploadLists.find((name) => name === key);
    const at = scan.at;
    if (list !== undefined) lists.delete(list);
    if (list === undefined || kindOf(scan) !== 'list') return passValue(scan);
    let count = 0;
    passList(scan, () => {
      count += 1;
    });
    lists.set(list, { at, count });
  });
  return lists;
}

function passed(scan: JsonScan): null {
  passValue(scan);
  return null;
}

function valueOrNull(scan: JsonScan): unknown {
  try {
    return readValue(scan);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
