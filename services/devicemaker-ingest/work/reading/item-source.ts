import { setImmediate as nextTurn } from 'node:timers/promises';
import { unlistedFields } from '../../../../domain/provider/unlisted-fields.ts';
import { partsOf } from '../../../../domain/records/item-parts.ts';
import type { StoreItem } from '../../../../domain/records/records.ts';
import { cutChunks, type VersionedRules } from '../../../../domain/workouts/cut-chunks.ts';
import type { DataType } from '../../../../providers/devicemaker/data-types.ts';
import type { Normalised, Problem } from '../../../../providers/devicemaker/normalise/item.ts';
import type { Entry } from '../entries.ts';
import type { Run } from '../store-run.ts';

/** A normalised part of an item, with its size in JSON. */
export interface StoreChunk {
  readonly entry: Entry;
  readonly part: StoreItem;
  readonly bytes: number;
}

/**
 * Normalises entries of one user in order. Items that cannot be stored get their status, the parts of the others are yielded one by
 * one. Ends early with the run.
 */
export type ItemSource = (run: Run, entries: readonly Entry[]) => AsyncIterable<StoreChunk>;

/** Maximum time that one delivery blocks the event loop. */
const sliceMs = 8;

/** Items that are in memory. */
export async function* itemsAtHand(run: Run, entries: readonly Entry[]): AsyncGenerator<StoreChunk> {
  const rules = await routeRulesOf(run, entries);
  let began = performance.now();
  for (const entry of entries) {
    if (performance.now() - began > sliceMs) {
      await nextTurn();
      began = performance.now();
    }
    if (isOver(run)) return;
    const { judged, normalised } = judge(entry.type, entry.item, run.nowMs);
    noteJudged(run, entry, judged);
    if (!normalised.ok) continue;
    for (const part of partsWithin(normalised, rules))
      yield { entry, part, bytes: Buffer.byteLength(JSON.stringify(part)) };
  }
}

/** The parts of an item, with its track as the rules permit. */
export function partsWithin(
  { item, track = null }: Extract<Normalised, { ok: true }>,
  rules: VersionedRules | null,
): StoreItem[] {
  return partsOf({ ...item, ...cutChunks(track, rules) });
}

/** The route privacy of the user whose entries these are. Null if none of them can contain a track. @throws for two users */
export async function routeRulesOf({ call }: Run, entries: readonly Entry[]): Promise<VersionedRules | null> {
  const userId = entries.find(({ type }) => type.hasTrack)?.linkedUser?.user_id;
  if (entries.some(({ linkedUser }) => linkedUser?.user_id !== entries[0]?.linkedUser?.user_id))
    throw new Error(
      'entries of one user are expected, because the route privacy of a user applies to all of them',
    );
  return userId === undefined ? null : call('timeseries.routeRules', { user_id: userId });
}

/** Whether no new work may begin. */
export function isOver({ halted, signal }: Run): boolean {
  return halted || signal.aborted;
}

/** What is reported of an item beside what is stored of it. */
export interface JudgedItem {
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  /** The name of the error that the normaliser threw. */
  readonly broken: string | null;
  /** The names of the fields that the table of the type does not list. */
  readonly unlisted: readonly string[];
}

/** Normalises an item. Normalisers do not throw. If one does, only its item is rejected. */
export function judge(
  type: DataType,
  item: unknown,
  nowMs: number,
): { readonly judged: JudgedItem; readonly normalised: Normalised } {
  let broken: string | null = null;
  let normalised: Normalised;
  try {
    normalised = type.normalise(item, nowMs);
  } catch (error) {
    broken = error instanceof Error ? error.name : 'unknown';
    normalised = { ok: false, problems: [{ field: '', reason: 'could not be read' }] };
  }
  const { ok, problems } = normalised;
  return { judged: { ok, problems, broken, unlisted: unlistedFields(item, type.fields) }, normalised };
}

/** Records what was judged of an entry's item. */
export function noteJudged(run: Run, entry: Entry, { ok, problems, broken, unlisted }: JudgedItem): void {
  if (broken !== null) run.onBroken(entry, broken);
  run.onUnlisted?.(entry.type.name, unlisted);
  entry.problems = problems;
  if (!ok) entry.status = 'validation_error';
}
