import { z } from 'zod';
import { staleReasons } from '../../domain/freshness/state.ts';

/** The result of a connection attempt. */
export const ConnectStatus = z.enum(['connected', 'denied', 'failed']).meta({ id: 'ConnectStatus' });

/** The reason why an attempt made no connection. */
export const ConnectReason = z
  .enum([
    'access_denied',
    'permission_missing',
    'link_expired',
    'code_expired',
    'provider_refused',
    'provider_unavailable',
    'account_taken',
    'user_gone',
    'unavailable',
  ])
  .meta({ id: 'ConnectReason' });

/** Why data of a connection is missing, as events and the connect page say it. */
export const StaleReason = z.enum(staleReasons).meta({ id: 'StaleReason' });

/** A language of the connect page. */
export const Language = z
  .enum(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh', 'ar', 'he'])
  .meta({
    id: 'Language',
    description: 'A language of the connect page. `pt` is Brazilian Portuguese, `zh` simplified Chinese.',
  });

export type ConnectReason = z.infer<typeof ConnectReason>;
export type ConnectStatus = z.infer<typeof ConnectStatus>;
export type Language = z.infer<typeof Language>;
export type StaleReason = z.infer<typeof StaleReason>;
