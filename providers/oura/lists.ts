import { assumed, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';

/** The device of samples. Those of a night have one of their own: a night that is read again replaces only them. */
export const ring = 'Oura Ring';
export const asleep = 'Oura Ring, asleep';
export const inSession = 'Oura Ring, in a session';

/** What most collections have in common. A week is read after a notification, since a ring may be synchronised days later. */
export const common = { device: ring, longestSpanDays: 30, recentDays: 7, sweepDays: 30 } as const;

/** A list by local days. Some lists exclude the end, and a local day may begin a UTC day earlier or later. */
export const list = (name: string): ListRead => ({
  path: `/v2/usercollection/${name}`,
  records: 'data',
  span: { start: 'start_date', end: 'end_date', form: 'date', beforeDays: 2, afterDays: 2 },
  page: { field: 'next_token', next: 'next_token' },
});

/** Assumed: a granted scope is named with or without a prefix, and the newer scopes are requested with it. */
export const scoped = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `extapi:${name}`]);

/** The fields of a record of a day. */
export const ofDay: FieldTable = { id: kept(null, 'key'), day: kept(null, 'date') };

/** The same with a time. Assumed: it is midnight in UTC whatever the user's zone is, so that the day counts. */
export const ofStampedDay: FieldTable = {
  ...ofDay,
  timestamp: notKept('midnight of `day`, without the offset of the user'),
};

/** The same where our notes name no id. */
export const ofBareDay: FieldTable = { ...ofDay, ...assumed({ id: kept(null, 'key') }) };
