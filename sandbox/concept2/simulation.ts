import type { Draft } from '../../domain/recipe/draft.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import { isoTime, minuteMs } from '../../domain/time/time.ts';
import { concept2 as provider } from '../../providers/concept2/provider.ts';
import { collections } from '../../providers/concept2/records.ts';
import { heartRateEveryMs as everyMs } from '../day-simulation/heart-rate.ts';
import { listedTwin } from '../listed/twin.ts';

const restMs = 10_000;
const clock = (ms: number, offset = 0) =>
  isoTime(ms + offset * minuteMs)
    .slice(0, 19)
    .replace('T', ' ');

const partOf = (lastsMs: number, rest_time: number) => ({
  time: lastsMs / 100,
  distance: Math.round(lastsMs / 250),
  stroke_rate: 24,
  calories_total: 40,
  wattminutes_total: 900,
  targets: { pace: 1200 },
  heart_rate: { average: 140, min: 120, max: 155, ending: 150, rest: 110, recovery: 100 },
  type: 'time',
  rest_time,
  rest_distance: rest_time / 10,
  machine: 'rower',
});

/** Two intervals, with a stroke each 15 seconds but for the rest of ten seconds between them. */
function resultOf({ start_time: startMs = 0, end_time: endMs = 0, zone_offset, series }: Draft): Item {
  const secondMs = startMs + Math.floor((endMs - startMs) / 2 / everyMs) * everyMs;
  const rates = new Map(
    Array.isArray(series?.heart_rate) ? series.heart_rate.map(([ms, bpm]) => [ms, bpm]) : [],
  );
  const data = Array.from({ length: Math.ceil((endMs - startMs) / everyMs) }, (_, index) => {
    const ms = startMs + index * everyMs;
    const t = (ms - (ms < secondMs ? startMs : secondMs)) / 100;
    return { t, d: t * 4, p: 1250, spm: 24, hr: rates.get(ms) ?? 0 };
  });
  return {
    type: 'rower',
    date: clock(endMs, zone_offset),
    date_utc: clock(endMs),
    time: (endMs - startMs - restMs) / 100,
    rest_time: restMs / 100,
    workout: {
      intervals: [partOf(secondMs - startMs - restMs, restMs / 100), partOf(endMs - secondMs, 0)],
      splits: [partOf(endMs - startMs, 0)].map(
        ({ type, rest_time, rest_distance, machine, ...split }) => split,
      ),
      targets: { stroke_rate: 24 },
    },
    strokes: { data },
  };
}

/** A maker of rowing machines whose logbook lists results. It notifies of a deletion by the id of the result alone. */
export const concept2 = listedTwin({
  name: 'concept2',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'island-hiker',
  settings: { CONCEPT2_REQUESTS_PER_MINUTE: '6000' },
  kinds: { activities: { fields: resultOf } },
  account: (id) => ({ data: { id: Number(id) }, user_id: Number(id) }),
  event({ account, id, operation, start_ms }) {
    if (operation === 'delete') return { data: { type: 'result-deleted', result_id: id } };
    return {
      data: { type: 'result-updated', result: { id, user_id: Number(account), date: clock(start_ms) } },
    };
  },
});
