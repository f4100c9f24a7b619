import type { PlantedFault } from '../planted.ts';

export const domain: readonly PlantedFault[] = [
  {
    kind: 'time',
    promise:
      'Midnight of a zone is found with the offset of that midnight, not of the instant that was guessed.',
    file: 'domain/zone.ts',
    before: 'const offset = offsetMinutesIn(timeZone, utcMs - guess * minuteMs) ?? guess;',
    after: 'const offset = guess;',
    test: 'test/domain/zone.test.ts',
  },
];
