import { listedDescriptor } from './listed.ts';

/** A maker of watches: exercises with samples, nights, days and heart rates. Its secret comes with its webhook. */
export const polar = listedDescriptor({
  ...{
    provider: 'polar',
    rotates: false,
    notifiesDeletions: false,
  },
  notified: { type: 'activities', id: 'aQlC83' },
  partialScopes: { doesNotApply: 'there is one scope, and without it nothing could be read' },
});
