import type { Provider } from '../../domain/provider/provider.ts';
import { fields } from './fields.ts';

/** The header of an upload with the IANA name of the phone's time zone. */
export const timeZoneHeader = 'time-zone';

/**
 * Phones: the health stores of Apple (HealthKit), Google (Health Connect) and Samsung, which an app on the user's phone
 * uploads. The app holds a token of the user, so there is no consent page, no webhook and nothing to read.
 */
export const phone = {
  title: 'Phone',
  colour: '#8f7219',
  sourceTitles: {
    apple: 'Apple Health',
    iphone: 'Apple Health',
    ipad: 'Apple Health',
    samsung: 'Samsung Health',
    '.sec.': 'Samsung Health',
    healthdata: 'Health Connect',
    'health connect': 'Health Connect',
  },
  settings: {},
  names: null,
  ingest: {
    service: 'phone-ingest',
    readsWithTokens: false,
    hasFigures: false,
    reprocesses: true,
  },
  normaliserVersion: 8,
  fields,
  projectClientRefusal: 'The app on the phone connects the user: there is no OAuth client.',
  oauth: null,
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [timeZoneHeader],
    subscriptionSettings: [],
    body: { form: 'one-account', accountHeader: 'pulsebus-user-id' },
  },
  backfill: { from: 'uploads', service: 'phone-ingest' },
  shares: [
    ...(['daily_activity', 'heart_rate', 'sleep', 'activities', 'body', 'blood_pressure'] as const),
    ...(['oxygen_saturation', 'nutrition', 'mindfulness', 'cycle'] as const),
  ],
  cadenceHours: { daily_activity: 48 },
} as const satisfies Provider;
