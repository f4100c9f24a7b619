import { listedDescriptor } from './listed.ts';

/** A maker of rings: days by their local date, nights with their heart rates, and heart rates without notifications. */
export const oura = listedDescriptor({
  ...{
    provider: 'oura',
    rotates: true,
    notifiesDeletions: true,
  },
  notified: { type: 'sleep', id: '2-5daccc095220cc5493a4e9c2b681ca941e' },
  partialScopes: {
    without: ['daily'],
    tooLittle: [
      ...['daily', 'heartrate', 'workout', 'session', 'spo2'],
      ...['extapi:stress', 'extapi:heart_health'],
    ],
  },
});
