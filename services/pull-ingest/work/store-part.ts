import type { Normalised, PulledType, Span } from '../../../domain/provider/pulled-provider.ts';
import { spanParts } from '../../../domain/records/interval-records.ts';
import { partsOf } from '../../../domain/records/item-parts.ts';
import type { SampleBlock, StoreItem } from '../../../domain/records/records.ts';
import { cutTracks } from '../../../mixins/cut-tracks.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Account } from './send-request.ts';

/** What a part changed: items and intervals that it has, and those of them that were new or other. */
export interface StoredPart {
  readonly items: number;
  readonly saved: number;
}

/** A read part of a type. `hash` distinguishes reads. */
interface PartToStore {
  readonly name: string;
  readonly type: PulledType;
  readonly span: Span | null;
  readonly part: Normalised;
  readonly hash: string;
}

/** Samples of a call that adds, so that its transaction is short. */
const mostSamples = 6000;
const mostItems = 200;
/** Samples of the first part of a workout. */
const mostFirstSamples = 2500;
/** An interval has about 200 bytes of JSON with a long id. */
const mostIntervalsPerCall = 1000;

/** Replaces what is stored of a span by a part, or adds the part to what is stored if it has no span. */
export async function storePart(call: Call, account: Account, read: PartToStore): Promise<StoredPart> {
  const cut = await cutTracks(call, account.user_id, read.part.tracks);
  const items = read.part.items.map((item) => ({
    ...item,
    ...(isRecord(item) ? {} : { hash: read.hash }),
    ...cut(item.key),
  }));
  const ofItems =
    read.span === null
      ? await addItems(call, account, items)
      : await replaceItems(call, account, { ...read, span: read.span, items });
  const ofIntervals = await storeIntervals(call, account, read);
  return { items: ofItems.items + ofIntervals.items, saved: ofItems.saved + ofIntervals.saved };
}

// An item that is samples alone has no hash of its own.
const isRecord = ({ workout, sleeps, other, day, day_values, scores }: StoreItem): boolean =>
  [workout, sleeps[0], other, day, day_values, scores[0]].some((record) => record != null);

const stamped = (account: Account) => ({
  user_id: account.user_id,
  provider: account.provider,
  normaliser_version: normaliserVersionOf(account.provider),
});

async function addItems(call: Call, account: Account, items: readonly StoreItem[]): Promise<StoredPart> {
  let saved = 0;
  for (const some of callsOf(items)) {
    const first = await call('timeseries.store', { ...stamped(account), items: firstParts(some) });
    await storeLaterParts(call, account, some, first);
    saved += countChanged(first);
  }
  return { items: items.length, saved };
}

// Items by calls: a call ends before it has too many items or samples.
function callsOf(items: readonly StoreItem[]): StoreItem[][] {
  const calls: StoreItem[][] = [];
  for (const item of items) {
    const last = calls.at(-1);
    if (last === undefined || isTooLarge([...last, item])) calls.push([item]);
    else last.push(item);
  }
  return calls;
}

const isLong = ({ workout, samples, track }: StoreItem): boolean =>
  workout !== null && (track.length > 0 || sizeOf(samples) > mostFirstSamples);
const itemParts = (item: StoreItem): StoreItem[] => (isLong(item) ? partsOf(item, mostFirstSamples) : [item]);
const firstParts = (items: readonly StoreItem[]): StoreItem[] =>
  items.flatMap((item) => itemParts(item).slice(0, 1));

// A workout replaces the samples and the track of its older version by itself, so that they may follow in other calls.
async function storeLaterParts(
  call: Call,
  account: Account,
  items: readonly StoreItem[],
  outcomes: readonly { readonly status: string }[],
): Promise<void> {
  for (const [index, item] of items.entries()) {
    const status = outcomes[index]?.status;
    if (status === 'duplicate' || status === 'stale') continue;
    for (const part of itemParts(item).slice(1))
      await call('timeseries.store', { ...stamped(account), items: [part] });
  }
}

interface Replacing extends Omit<PartToStore, 'span'> {
  readonly span: Span;
  readonly items: readonly StoreItem[];
}

// A span is replaced by one call, because what the call does not list is deleted. `longestSpanMs` bounds it to a few MB.
async function replaceItems(
  call: Call,
  account: Account,
  { name, type, span, items }: Replacing,
): Promise<StoredPart> {
  const { series = [], devices = null, together = [], records = [] } = type.replaces;
  if (series.length === 0 && records.length === 0) return addItems(call, account, items);
  const replaces = {
    data_type: name,
    series: [...series],
    together: [...together],
    records: [...records],
    start_ms: span.startMs,
    end_ms: span.endMs,
    devices: devices === null ? null : [...devices],
    is_local: type.hasLocalTimes === true,
  };
  const listsSamples = series.length > 0;
  const first = listsSamples ? [...items] : firstParts(items);
  const outcomes = await call('timeseries.replace', { ...stamped(account), items: first, replaces });
  if (!listsSamples) await storeLaterParts(call, account, items, outcomes);
  return { items: items.length, saved: countChanged(outcomes) };
}

function isTooLarge(items: readonly StoreItem[]): boolean {
  return items.length > mostItems || sizeOf(items.flatMap(({ samples }) => samples)) > mostSamples;
}

const sizeOf = (samples: readonly SampleBlock[]): number =>
  samples.reduce((sum, { at }) => sum + at.length, 0);

function countChanged(outcomes: readonly { readonly status: string }[]): number {
  return outcomes.filter(({ status }) => status === 'saved' || status === 'replaced').length;
}

async function storeIntervals(
  call: Call,
  { user_id, provider }: Account,
  { type, span, part }: PartToStore,
): Promise<StoredPart> {
  const { sources = [], intervals = [] } = part.intervals ?? {};
  const types = type.replaces.intervals ?? [];
  let saved = 0;
  if (span === null || types.length === 0) {
    for (let from = 0; from < intervals.length; from += mostIntervalsPerCall) {
      const some = intervals.slice(from, from + mostIntervalsPerCall);
      const outcome = await call('timeseries.storeIntervals', {
        user_id,
        provider,
        sources: [...sources],
        intervals: some,
      });
      saved += outcome.saved + outcome.replaced;
    }
    return { items: intervals.length, saved };
  }
  for (const { startMs, endMs, intervals: some } of spanParts(span, intervals, mostIntervalsPerCall)) {
    const outcome = await call('timeseries.replaceIntervals', {
      user_id,
      provider,
      spans: types.map((intervalType) => ({
        type: intervalType,
        start_ms: startMs,
        end_ms: endMs,
        is_local: type.hasLocalTimes === true,
      })),
      sources: [...sources],
      intervals: [...some],
    });
    saved += outcome.saved + outcome.replaced;
  }
  return { items: intervals.length, saved };
}
