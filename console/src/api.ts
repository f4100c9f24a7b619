import { Pulsebus } from '../../clients/typescript/src/index.ts';
import { embedToken, isExpired } from './embed.ts';
import { loadSession, session } from './session.ts';

/**
 * The API: called below the path of the console with the session of this browser, or, in an embedded page, with the token of its
 * address.
 */
export const api = embedToken === null ? apiOfConsole() : apiOfEmbed(embedToken);

function apiOfConsole(): Pulsebus {
  return new Pulsebus({
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
}

// Cookies are not sent: the browser may belong to a developer who is signed in to the console.
function apiOfEmbed(token: string): Pulsebus {
  return new Pulsebus({
    baseUrl: window.location.origin,
    token,
    maxRetries: 2,
    fetch: async (input, init) => {
      const response = await fetch(input, { ...init, credentials: 'omit' });
      if (response.status === 401) isExpired.value = true;
      return response;
    },
  });
}

function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-CSRF-Token', session.value?.csrf_token ?? '');
  return fetch(input, { ...init, headers });
}

/** The address of a stream, for a link that saves it. */
export const streamUrl = (path: string) => `/console/api/v1${path}`;
