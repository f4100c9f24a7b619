import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { RangeEnd, RangeStart } from '../../domain/time/time.ts';
import { Flag, OtherEventType, repeated, SeriesTypeName, UserId } from '../../domain/wire.ts';
import { ProviderName, providerNames } from '../../providers/all.ts';
import { mostTypes } from './schemas.ts';

/** The longest range of a calendar in days, and of one with exact counts: its answer crosses the bus in one message. */
export const mostCalendarDays = 1100;
export const mostCountedDays = 370;

/** The kinds of data that a calendar counts, in its order. They are named as in an export. */
export const calendarKinds = ['sample', 'workout', 'sleep', 'day', 'other'] as const;

const CalendarKind = z.enum(calendarKinds).meta({
  id: 'CalendarKind',
  description:
    "`sample`: values of a series; `workout`: listed workouts; `sleep`: sleep sessions and naps; `day`: a provider's own totals of a day; `other`: other events.",
});

const LocalDate = z.string().meta({ format: 'date', description: 'A local day, YYYY-MM-DD.' });

/** The local days on which one provider has data of one type. */
export const CalendarRow = z
  .object({
    kind: CalendarKind,
    type: z
      .union([SeriesTypeName, OtherEventType])
      .nullable()
      .describe('The series type, or the type of the other events. Null for workouts, sleep and day totals.'),
    provider: ProviderName,
    first_date: LocalDate,
    last_date: LocalDate,
    day_count: z.int().describe('Number of days with data.'),
    total: z.int().describe('Number of samples or records in the range.'),
    levels: z
      .string()
      .describe(
        'One character for each day from `first_date` to `last_date`: `0` for a day without data, otherwise the number of digits of its count (`1`: 1 to 9, `2`: 10 to 99, `3`: 100 to 999, and so on).',
      ),
    counts: z
      .array(z.int())
      .optional()
      .describe('With `counts=true` only: the number of samples or records of each of these days.'),
  })
  .meta({
    id: 'CalendarRow',
    description: 'The local days of the range on which one provider has data of one type.',
  });

/** Which data exists, by local day. */
export const DataCalendar = z
  .object({ start_date: LocalDate, end_date: LocalDate, data: z.array(CalendarRow) })
  .meta({ id: 'DataCalendar', description: 'Which data of a user exists, by type, provider and local day.' });

/** What exists, without the data itself. */
export const calendarActions = {
  calendar: action({
    summary: 'List which data exists, by type, provider and local day',
    description: `One row for each type and provider with data in the range; other types are omitted. Devices of a provider are added up. A date is a local day of the user. An instant selects the UTC dates that the range touches. The range has at most ${mostCalendarDays} days, with \`counts=true\` at most ${mostCountedDays}. Counts are exact.`,
    params: z.object({
      user_id: UserId,
      start_date: RangeStart.meta({
        description: 'First local day of the range (YYYY-MM-DD), or an instant on it.',
        example: '2026-01-01',
      }),
      end_date: RangeEnd.meta({
        description:
          'Last local day of the range (YYYY-MM-DD), included, or an instant at which the range ends.',
        example: '2026-01-02',
      }),
      kinds: repeated(CalendarKind, calendarKinds.length)
        .optional()
        .describe('Only these kinds of data. Default: all, and with `types` only `sample`.'),
      types: repeated(SeriesTypeName, mostTypes).optional().describe('Of samples, only these series types.'),
      providers: repeated(ProviderName, providerNames.length)
        .optional()
        .describe('Only data of these providers.'),
      counts: Flag.describe('`true` adds the exact count of each day.'),
    }),
    returns: DataCalendar,
    http: {
      method: 'GET',
      path: '/users/:user_id/data-calendar',
      access: 'data.read',
      reads: 'calendar',
      tag: 'Data',
    },
  }),
};

export type CalendarKind = z.infer<typeof CalendarKind>;
export type CalendarRow = z.infer<typeof CalendarRow>;
export type DataCalendar = z.infer<typeof DataCalendar>;
