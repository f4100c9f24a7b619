import type { SpanForm } from '../../domain/recipe/list-pass.ts';
import { accepts } from '../../domain/records/series.ts';
import type { HttpRequest, Reply } from '../server/http.ts';
import { datesIn, simulatedDay } from '../simulation/days.ts';
import type { SampleSink } from '../simulation/expected-series.ts';
import type { ListedAccount, ListedRecord, ListedWorld } from './listed.ts';

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

const dayMs = 86_400_000;
/** The ledger shows so many days. */
export const shownDays = 40;
const recordedMs = 600_000;

/** The records of an account that begin in a span and are available, in order of time. Deleted ones are left out. */
export function recordsIn(
  world: ListedWorld,
  account: ListedAccount,
  kind: string,
  span: Span,
): ListedRecord[] {
  const { spec, user, clock } = world;
  const nowMs = clock.nowMs();
  const around = { startMs: span.startMs - 2 * dayMs, endMs: Math.min(span.endMs, nowMs) + 2 * dayMs };
  const person = user(account.person);
  const versionOf = (id: string) => account.versions[id] ?? 0;
  return datesIn(person, around)
    .flatMap((date) => {
      const day = simulatedDay(person, date);
      const starts = account.recorded.filter((ms) => ms >= day.startMs && ms < day.endMs);
      const recorded = starts.map((startMs) => ({ startMs, endMs: startMs + recordedMs }));
      return spec.kinds[kind]?.of(day, { versionOf, recorded, nowMs }) ?? [];
    })
    .filter(
      ({ startMs, availableMs }) => startMs >= span.startMs && startMs < span.endMs && availableMs <= nowMs,
    )
    .filter(({ id }) => !account.deleted.includes(id))
    .sort((a, b) => a.startMs - b.startMs);
}

const numberIn = (text: string): number => Number(text || Number.NaN);
const bounds: Readonly<Record<SpanForm, (text: string) => number>> = {
  instant: (text) => Date.parse(text),
  date: (text) => Date.parse(`${text}T00:00:00Z`),
  ms: numberIn,
  s: (text) => numberIn(text) * 1000,
  utc: (text) => (/Z$|[+-]\d\d:\d\d$/.test(text) ? Number.NaN : Date.parse(`${text}Z`)),
};

/**
 * The span of a query; `form` says how its bounds are written. Without bounds it is the last day, and without an end it lasts. Null: a
 * bound is not of the form.
 */
export function spanOf(
  { query }: HttpRequest,
  names: { readonly start: string; readonly end: string | null; readonly form: SpanForm },
  nowMs: number,
): Span | null {
  const read = (name: string | null, usualMs: number) => {
    const text = name === null ? null : query.get(name);
    if (text === null) return usualMs;
    return bounds[names.form](text);
  };
  const [startMs, endMs] = [read(names.start, nowMs - dayMs), read(names.end, nowMs + 1)];
  return Number.isNaN(startMs) || Number.isNaN(endMs) ? null : { startMs, endMs };
}

/** An error in JSON. */
export const failure = (status: number, error: string): Reply => ({ status, json: { error } });

/** What an application should have of an account: records by kind, and the number of samples by series. */
export function expectedRecords(
  world: ListedWorld,
  account: ListedAccount,
  from_ms = world.clock.nowMs() - shownDays * dayMs,
) {
  const span = { startMs: from_ms, endMs: world.clock.nowMs() + 1 };
  const kinds = Object.keys(world.spec.kinds).map((type) => {
    const records = recordsIn(world, account, type, span);
    // A record that began before the span may have samples in it.
    const around = recordsIn(world, account, type, { ...span, startMs: span.startMs - 2 * dayMs });
    const samples: Record<string, number> = {};
    for (const [series, ms, value] of around.flatMap((one) => one.samples))
      if (ms >= span.startMs && ms < span.endMs && accepts(series, value))
        samples[series] = (samples[series] ?? 0) + 1;
    const { scope = '', kind = 'other' } = world.spec.kinds[type] ?? {};
    return { type, scope, kind, records: records.filter(({ isCounted }) => isCounted).length, samples };
  });
  return { account: account.id, authorized: account.authorized, kinds };
}

/** Adds the samples of an account. */
export function addListedSamples(sink: SampleSink, world: ListedWorld, account: ListedAccount): void {
  const endMs = world.clock.nowMs();
  for (const [type, { device }] of Object.entries(world.spec.kinds))
    for (const { samples } of recordsIn(world, account, type, {
      startMs: endMs - shownDays * dayMs,
      endMs,
    }))
      for (const [series, ms, value] of samples) sink.add(series, device, ms / 1000, value);
}
