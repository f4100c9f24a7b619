import { listedDescriptor } from './listed.ts';

/** A maker of bike computers: workouts with FIT files. Its notifications contain a token, and there are none of deletions. */
export const wahoo = listedDescriptor({
  provider: 'wahoo',
  rotates: true,
  notifiesDeletions: false,
  notified: { type: 'activities', id: '451769692' },
  partialScopes: { doesNotApply: 'there is one kind of data, and without its scope nothing could be read' },
});
