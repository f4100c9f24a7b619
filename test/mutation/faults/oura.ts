import type { PlantedFault } from '../planted.ts';

const records = 'test/providers/oura/records.test.ts';
const subscriptions = 'test/providers/oura/subscriptions.test.ts';

export const oura: readonly PlantedFault[] = [
  {
    kind: 'secret',
    promise: 'The time of a notification of Oura is signed with its body.',
    file: 'providers/oura/provider.ts',
    before: "        timeHeader: 'x-oura-timestamp',\n",
    after: '',
    test: records,
  },
  {
    kind: 'time',
    promise: 'The times of a night have the offset of the user.',
    file: 'providers/oura/sleep.ts',
    before: "bedtime_start: kept('ISO 8601', 'start_time')",
    after: "bedtime_start: kept('local time', 'start_time')",
    test: records,
  },
  {
    kind: 'value',
    promise: 'A sleep that Oura deleted is left out.',
    file: 'providers/oura/sleep.ts',
    before: "type === 'deleted' || type === 'rest'",
    after: "type === 'rest'",
    test: records,
  },
  {
    kind: 'value',
    promise: 'Values of a night keep their times where others are missing.',
    file: 'providers/oura/points.ts',
    before: 'return items.flatMap((item: unknown, index): Point[] =>',
    after: 'return items.filter((item) => item !== null).flatMap((item: unknown, index): Point[] =>',
    test: records,
  },
  {
    kind: 'value',
    promise: 'A read of heart rates replaces none of a night.',
    file: 'providers/oura/activity.ts',
    before: '...{ device: ring, devices: [ring], longestSpanDays: 14,',
    after: '...{ device: ring, longestSpanDays: 14,',
    test: records,
  },
  {
    kind: 'value',
    promise: 'Heart rates of a night are not kept twice.',
    file: 'providers/oura/activity.ts',
    before: "new Set(['sleep', 'session'])",
    after: "new Set(['session'])",
    test: records,
  },
  {
    kind: 'end',
    promise: 'A subscription of Oura is renewed before it ends.',
    file: 'providers/oura/subscriptions.ts',
    before: 'const renewBeforeMs = 7 * dayMs;',
    after: 'const renewBeforeMs = 0 * dayMs;',
    test: subscriptions,
  },
  {
    kind: 'end',
    promise: 'A subscription of Oura with another address is changed.',
    file: 'providers/oura/subscriptions.ts',
    before: '...(own.callback_url === address',
    after: '...(own.callback_url !== null',
    test: subscriptions,
  },
];
