import { listedDescriptor } from './listed.ts';

/** A training diary that repeats what other providers sent it. Its secret is in each body. */
export const intervals = listedDescriptor({
  provider: 'intervals',
  rotates: false,
  notifiesDeletions: false,
  notified: { type: 'activities', id: 'i678' },
  partialScopes: { without: ['WELLNESS:READ'], tooLittle: ['ACTIVITY:READ', 'WELLNESS:READ'] },
});
