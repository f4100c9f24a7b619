import { z } from 'zod';
import { CursorParameter } from '../../../domain/page.ts';
import { RangeEnd, RangeStart } from '../../../domain/time/time.ts';
import { UserId } from '../../../domain/wire.ts';

/** The user and the range of lists of days. */
export const dayRange = {
  user_id: UserId,
  start_date: RangeStart.meta({ description: 'First local day of the range, YYYY-MM-DD.' }),
  end_date: RangeEnd.meta({ description: 'Last local day of the range, YYYY-MM-DD, included.' }),
  cursor: CursorParameter.describe('`next_cursor` of an earlier answer to the same arguments.'),
};

/** The user and the range of lists of events. */
export const eventRange = {
  ...dayRange,
  start_date: RangeStart.meta({
    description: 'Start of the range, included: a UTC day (YYYY-MM-DD) or a time (ISO 8601).',
  }),
  end_date: RangeEnd.meta({
    description: 'End of the range: a UTC day (YYYY-MM-DD), included, or a time (ISO 8601), excluded.',
  }),
};

/** The most items of an answer, which may have fewer because its size is limited. */
export function mostItems(most: number) {
  return z
    .int()
    .min(1)
    .max(most)
    .optional()
    .describe(`The most items to return, 1 to ${most}. Default: as many as an answer of 25 kB holds.`);
}
