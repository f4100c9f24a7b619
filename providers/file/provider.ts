import type { Provider } from '../../domain/provider/provider.ts';
import { fields } from './fields.ts';

/**
 * Files that users have: exports of Apple Health, recordings of devices, tables. The first import makes the connection, so
 * there is no consent page, no webhook and nothing to read.
 */
export const file = {
  title: 'Files',
  colour: '#647082',
  sourceTitles: { apple: 'Apple Health', iphone: 'Apple Health', ipad: 'Apple Health' },
  settings: {},
  names: null,
  ingest: { service: 'file-import', readsWithTokens: false, hasFigures: false },
  normaliserVersion: 3,
  fields,
  projectClientRefusal: 'Files need no OAuth client.',
  oauth: null,
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [],
    subscriptionSettings: [],
    body: { form: 'one-account', accountHeader: 'pulsebus-user-id' },
  },
  backfill: { from: 'files', service: 'file-import' },
  shares: [
    ...(['daily_activity', 'heart_rate', 'sleep', 'stress', 'activities', 'routes', 'body'] as const),
    ...(['blood_pressure', 'oxygen_saturation', 'glucose', 'nutrition', 'mindfulness', 'cycle'] as const),
  ],
  cadenceHours: {},
} as const satisfies Provider;
