import { listedDescriptor } from './listed.ts';

/** A maker of bands: scored nights, recoveries, cycles and workouts. */
export const whoop = listedDescriptor({
  ...{
    provider: 'whoop',
    rotates: true,
    notifiesDeletions: true,
  },
  notified: { type: 'sleep', id: '550e8400-e29b-41d4-a716-446655440000' },
  partialScopes: {
    without: ['read:sleep'],
    tooLittle: ['read:sleep', 'read:recovery', 'read:cycles', 'read:workout'],
  },
});
