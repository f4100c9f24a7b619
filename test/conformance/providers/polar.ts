import { listedDescriptor } from './listed.ts';

/** A maker of watches: exercises with samples, nights, days and heart rates. Its secret comes with its webhook. */
export const polar = listedDescriptor({
  ...{
    provider: 'polar',
    header: 'Polar-Webhook-Signature',
    encoding: 'hex',
    rotates: false,
    notifiesDeletions: false,
  },
  notified: { type: 'activities', id: 'aQlC83' },
  series: ['heart_rate', 'heart_rate_variability_rmssd'],
  partialScopes: { doesNotApply: 'there is one scope, and without it nothing could be read' },
});
