import { useEffect, useState } from 'preact/hooks';
import { api } from './api.ts';
import { can } from './session.ts';

/** Which changes are followed, and how long after some of them the next ones are read. */
export interface Followed {
  /** Default: the changes of all users. */
  readonly userId?: string;
  readonly pauseMs?: number;
  readonly isFollowed?: boolean;
}

/** Counts the changes in the feed as they arrive, by long polling. It reads only while the page is visible. */
export function useChanges({ userId, pauseMs = 1000, isFollowed = true }: Followed = {}): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (!isFollowed || !can('changes.read')) return;
    const abort = new AbortController();
    void follow({ user_id: userId, pauseMs }, abort.signal, () => setVersion((last) => last + 1));
    return () => abort.abort();
  }, [userId, pauseMs, isFollowed]);
  return version;
}

const retryMs = 5000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function follow(
  { user_id, pauseMs }: { user_id: string | undefined; pauseMs: number },
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const query = { ...(user_id === undefined ? {} : { user_id }), wait_seconds: 20, limit: 1000 };
  let from: { cursor: string } | { since: string } = { since: new Date().toISOString() };
  while (!signal.aborted) {
    try {
      if (document.visibilityState === 'hidden') await sleep(retryMs);
      else {
        const { data, pagination } = await api.webhooks.changes({ ...query, ...from }, { signal });
        from = { cursor: pagination.next_cursor };
        if (data.length > 0) changed();
        if (data.length > 0) await sleep(pauseMs); // changes come in groups
      }
    } catch {
      if (!signal.aborted) await sleep(retryMs);
    }
  }
}
