import { Pulsebus } from '../../clients/typescript/src/index.ts';
import { loadSession, session } from './session.ts';

/** The API, called below the path of the console with the session of this browser. */
export const api = new Pulsebus({
  baseUrl: '/console/api/v1',
  maxRetries: 2,
  fetch: async (input, init) => {
    const response = await send(input, init);
    if (response.status === 401) session.value = null;
    if (response.headers.get('X-Error-Code') !== 'CONSOLE_REFUSED') return response;
    await loadSession(); // another tab has signed in anew
    return send(input, init);
  },
});

function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-CSRF-Token', session.value?.csrf_token ?? '');
  return fetch(input, { ...init, headers });
}

/** The address of a stream, for a link that saves it. */
export const streamUrl = (path: string) => `/console/api/v1${path}`;
