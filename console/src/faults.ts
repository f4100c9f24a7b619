import { session } from './session.ts';

/** An active fault of the sandbox. */
export interface Fault {
  readonly id: number;
  readonly kind: string;
  /** Null: every provider. */
  readonly provider: string | null;
  /** How often it occurred. */
  readonly hits: number;
}

const path = '/console/sandbox/faults';

/** The active faults of the sandbox. */
export const listFaults = (signal: AbortSignal): Promise<readonly Fault[]> => send('GET', path, { signal });

/** Starts a fault, of one provider or of all. */
export const startFault = (kind: string, provider: string | null): Promise<readonly Fault[]> =>
  send('POST', path, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind, ...(provider === null ? {} : { provider }) }),
  });

/** Ends a fault. */
export const endFault = (id: number): Promise<readonly Fault[]> => send('DELETE', `${path}/${id}`);

async function send(method: string, url: string, init: RequestInit = {}): Promise<readonly Fault[]> {
  const headers = { ...init.headers, 'X-CSRF-Token': session.value?.csrf_token ?? '' };
  const answer = await fetch(url, { ...init, method, headers });
  if (answer.ok) return answer.json();
  const { detail }: { detail: string } = await answer.json();
  throw new Error(detail);
}
