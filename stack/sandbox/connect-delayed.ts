import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectDeps,
  type ConnectedAccount,
  connectUsers,
} from '../../sandbox/connect/connect-users.ts';

/** How delayed accounts are connected, and where progress is shown. */
export interface DelayedDeps {
  readonly connecting: ConnectDeps;
  readonly signal: AbortSignal;
  say(line: string): void;
}

/** The accounts that were connected at once, and the end of connecting the others. */
export interface StartedConnecting {
  readonly connected: readonly ConnectedAccount[];
  /** Resolves when all accounts are connected, or when one cannot be. It never rejects. */
  readonly delayedConnected: Promise<void>;
}

/** The pauses between attempts: a loaded machine is not loaded further. */
const firstPauseMs = 2000;
const longestPauseMs = 60_000;

/** Connects users. Accounts whose provider does not answer in time are connected in the background. */
export async function startConnecting(deps: DelayedDeps): Promise<StartedConnecting> {
  const { connected, delayed } = await attempt(deps.connecting);
  if (delayed === 0) return { connected, delayedConnected: Promise.resolve() };
  deps.say(`  The sandbox is slow: ${delayed} accounts are connected later.`);
  return { connected, delayedConnected: connectDelayed(deps) };
}

async function attempt(connecting: ConnectDeps) {
  let delayed = 0;
  const onDelayed = () => {
    delayed += 1;
  };
  const connected = await connectUsers({ ...connecting, onDelayed });
  return { connected, delayed };
}

async function connectDelayed({ connecting, signal, say }: DelayedDeps): Promise<void> {
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await sleep(pauseMs, undefined, { signal });
      const { delayed } = await attempt(connecting);
      if (delayed === 0) return say('  The accounts that were delayed are connected.');
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (!signal.aborted)
      say(`  Accounts of the sandbox are not connected: ${why} The next start connects them.`);
  }
}
