import type { Draft } from '../../domain/recipe/draft.ts';
import { dexcom as provider } from '../../providers/dexcom/provider.ts';
import { collections } from '../../providers/dexcom/records.ts';
import type { Thing, Things } from '../listed/things.ts';
import { listedTwin } from '../listed/twin.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** Values are listed so long after they were measured. */
const delayMs = hourMs;

/** Measurements of a day, by their time after its start. */
const measured =
  (named: (dayMs: number) => readonly (readonly [name: string, afterMs: number])[]): Things =>
  (day) =>
    named(day.endMs - day.startMs).map(([name, afterMs]): Thing => {
      const startMs = day.startMs + afterMs;
      return {
        day,
        name: `${name}-${startMs}`,
        startMs,
        endMs: startMs,
        availableMs: startMs + delayMs,
        isSample: true,
        // Of what is typed in, only a fingerstick is a sample.
        isRepeated: name === 'carbs' || name === 'insulin',
      };
    });

const everyFiveMinutes = measured((dayMs) =>
  Array.from({ length: Math.floor(dayMs / (5 * minuteMs)) }, (_, index) => ['egv', index * 5 * minuteMs]),
);

const typedIn: Readonly<Record<string, { eventSubType: string | null; value: string; unit: string }>> = {
  carbs: { eventSubType: null, value: '45', unit: 'grams' },
  insulin: { eventSubType: 'fastActing', value: '4.5', unit: 'units' },
  bloodGlucose: { eventSubType: null, value: '104', unit: 'mg/dL' },
};

const typeOf = ({ name }: Thing): string => name.split('-')[0] ?? '';
/** A value that was smoothed afterwards is another one. */
const smoothed = ({ start_time = 0 }: Draft, version: number): number =>
  90 + (Math.floor(start_time / (5 * minuteMs)) % 70) + 3 * version;

/** A maker of glucose sensors that lists readings an hour late and notifies of nothing. */
export const dexcom = listedTwin({
  name: 'dexcom',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'half-day-wearer',
  kinds: {
    egvs: { of: everyFiveMinutes, fields: (draft, _, version) => ({ value: smoothed(draft, version) }) },
    events: {
      of: measured(() => [
        ['carbs', 8 * hourMs],
        ['insulin', 8.25 * hourMs],
        ['bloodGlucose', 20 * hourMs],
      ]),
      fields: (_, thing) => ({ eventType: typeOf(thing), ...typedIn[typeOf(thing)] }),
    },
    calibrations: { of: measured(() => [['calibration', 7 * hourMs]]) },
  },
  account: (id) => ({ userId: id }),
});
