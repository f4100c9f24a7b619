import t from 'tap';
import { sourceText, type TitleOf, titleIn } from '../../clients/typescript/src/source-text.ts';
import { loadConfig } from '../../config.ts';
import { isProviderName } from '../../providers/all.ts';
import { titlesOf } from '../../runtime/provider-settings.ts';

const titles = titlesOf(loadConfig({}));
const titleOf: TitleOf = (provider, device) =>
  titleIn(isProviderName(provider) ? titles[provider] : undefined, provider, device);

t.test('a source is its provider, and its device if one is known', async (t) => {
  const rows = [
    ['withings', 'Body+', 'Withings, Body+'],
    ['withings', 'unknown', 'Withings'],
    ['withings', null, 'Withings'],
    ['Acme', 'Band 2', 'Acme, Band 2'],
    ['phone', 'unknown', 'Phone'],
    ['phone', 'Pixel 9', 'Phone, Pixel 9'],
    ['phone', 'com.example.steps', 'Phone, com.example.steps'],
    ['phone', 'Apple Watch', 'Apple Health, Apple Watch'],
    ['phone', 'iPhone (Strava)', 'Apple Health, iPhone (Strava)'],
    ['phone', 'com.apple.health.1234-ABCD', 'Apple Health'],
    ['phone', 'com.sec.android.app.shealth', 'Samsung Health'],
    ['phone', 'com.google.android.apps.healthdata', 'Health Connect'],
    ['activitynet', 'Apple Watch', 'Strava, Apple Watch'],
  ] as const;
  for (const [provider, device, text] of rows) t.equal(sourceText(titleOf, { provider, device }), text);
});
