import { assumed, type FieldTable, kept, notKept } from '../../../domain/provider/field-table.ts';

/** Reasons that several fields share. */
export const why = {
  account: 'the account, which the connection has',
  token: 'an access token',
  location: 'location data: the route is kept as streams, cut by its user’s privacy zones',
  inSamples: 'the samples have the same values',
};

/** Fields that identify an item, its account and its device. */
export const identity: FieldTable = {
  userId: notKept(why.account),
  summaryId: notKept('no stable id: it changes as the record grows'),
  ...assumed({ userAccessToken: notKept(why.token), deviceName: kept(null, 'source') }),
};

/** Fields of an item that begins at `startTimeInSeconds`. */
export const head: FieldTable = {
  ...identity,
  startTimeInSeconds: kept('s', 'start_time', 'key'),
  startTimeOffsetInSeconds: kept('s', 'zone_offset'),
};

/** As `head`, of an item with a length. */
const span: FieldTable = { ...head, durationInSeconds: kept('s', 'duration_seconds') };

/** As `span`, of an item that consists of samples. Its day has what the samples do not have. */
export const samplesOnly: FieldTable = {
  ...span,
  calendarDate: notKept('the samples have their time, from which their day follows'),
};

/** As `samplesOnly`, of an item with day values. */
export const ofDay: FieldTable = { ...span, calendarDate: kept(null, 'date') };
