import { Pulsebus } from '../../clients/typescript/src/index.ts';

/** The API without a credential, for pages that are read before a sign-in. */
export const publicApi = new Pulsebus({ baseUrl: window.location.origin, maxRetries: 0 });
