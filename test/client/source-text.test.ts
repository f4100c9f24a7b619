import t from 'tap';
import { sourceText } from '../../clients/typescript/src/source-text.ts';

const titleOf = (provider: string) => (provider === 'phone' ? 'Phone' : `The ${provider}`);

t.test('a source is its provider, and its device if one is known', async (t) => {
  const rows = [
    ['withings', 'Body+', 'The withings, Body+'],
    ['withings', 'unknown', 'The withings'],
    ['withings', null, 'The withings'],
    ['phone', 'unknown', 'Phone'],
    ['phone', 'Pixel 9', 'Phone, Pixel 9'],
    ['phone', 'Apple Watch', 'Apple Health, Apple Watch'],
    ['phone', 'iPhone (Strava)', 'Apple Health, iPhone (Strava)'],
    ['phone', 'com.apple.health.1234-ABCD', 'Apple Health'],
    ['phone', 'com.sec.android.app.shealth', 'Samsung Health'],
    ['phone', 'com.google.android.apps.healthdata', 'Health Connect'],
    ['withings', 'Apple Health', 'The withings, Apple Health'],
  ] as const;
  for (const [provider, device, text] of rows) t.equal(sourceText(titleOf, { provider, device }), text);
});
