import { createHash } from 'node:crypto';
import { jsonOrNull } from '../../../domain/json.ts';
import { isWithinBounds, JsonBoundsError } from '../../../domain/json-bounds.ts';
import {
  listsOf,
  readItem,
  sourceNamed,
  type UploadItem,
  uploadLists,
} from '../../../providers/phone/upload.ts';

/** What a body is beside its items. */
export interface UploadHead {
  /** Null: the body is an upload. Otherwise the reason why nothing of it can be stored. */
  readonly problem: string | null;
  readonly source: string | null;
  readonly received: number;
  /** The hash of the body. With the number of a batch it is the key of the samples of that batch. */
  readonly hash: string;
}

/** The items of a body, read in batches of bounded size, deletions first. */
export interface UploadBody {
  readonly head: UploadHead;
  readonly batches: Generator<UploadItem[], void>;
}

/** The most items of a batch: about as many as a call of the store takes. */
const itemsPerBatch = 2000;

/** Parses a body. It never throws because of the content, which is health data and quoted nowhere. */
export function readUpload(bytes: Buffer, nowMs: number): UploadBody {
  if (!isWithinBounds(bytes)) return nothing(new JsonBoundsError().message);
  const body = jsonOrNull(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  const lists = listsOf(body);
  if (lists === null) return nothing('The body is not an upload: it has no object `data`.');
  const received = uploadLists.reduce((sum, list) => sum + lists[list].length, 0);
  const hash = createHash('sha256').update(bytes).digest('base64url');
  return {
    head: { problem: null, source: sourceNamed(body), received, hash },
    batches: batchesOf(lists, nowMs),
  };
}

function nothing(problem: string): UploadBody {
  return { head: { problem, source: null, received: 0, hash: '' }, batches: batchesOf(noLists, 0) };
}

type Lists = NonNullable<ReturnType<typeof listsOf>>;
const noLists: Lists = { records: [], sleep: [], workouts: [], deleted: [] };

function* batchesOf(lists: Lists, nowMs: number): Generator<UploadItem[], void> {
  let batch: UploadItem[] = [];
  for (const list of ['deleted', 'records', 'sleep', 'workouts'] as const)
    for (const item of lists[list]) {
      batch.push(readItem(list, item, nowMs));
      if (batch.length < itemsPerBatch) continue;
      yield batch;
      batch = [];
    }
  if (batch.length > 0) yield batch;
}
