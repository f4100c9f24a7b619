import { CursorParameter } from '../domain/page.ts';
import { RangeEnd, RangeStart } from '../domain/time/time.ts';
import { UserId } from '../domain/wire.ts';

/** The parameters of a list with an item for each local day of a user. */
export const localDays = {
  user_id: UserId,
  start_date: RangeStart.meta({
    description: 'First local day of the range (YYYY-MM-DD), or an instant on it.',
    example: '2026-01-01',
  }),
  end_date: RangeEnd.meta({
    description: 'Last local day of the range (YYYY-MM-DD), included, or an instant at which the range ends.',
    example: '2026-01-02',
  }),
  cursor: CursorParameter,
};
