import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Client } from './client.ts';

const Page = z.object({
  data: z.array(
    z.object({ id: z.string(), type: z.string(), timestamp: z.string(), data: z.looseObject({}) }),
  ),
  pagination: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
});

/** A change that the feed returned. */
export type FeedChange = z.infer<typeof Page>['data'][number];

/** Reads the feed by its cursor while services are killed. */
export interface FeedReader {
  readonly changes: readonly FeedChange[];
  /** Reads what is left and ends. */
  stop(): Promise<void>;
}

/** Starts with the oldest change. */
export function readFeed(client: Client): FeedReader {
  const changes: FeedChange[] = [];
  let isStopping = false;
  const run = async () => {
    for (let cursor: string | null = null; ; ) {
      const wasStopping = isStopping;
      const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: z.infer<typeof Page> = await client.get(
        `/changes?limit=200&wait_seconds=${wasStopping ? 0 : 2}${from}`,
        Page,
      );
      changes.push(...page.data);
      cursor = page.pagination.next_cursor;
      if (wasStopping && !page.pagination.has_more) return;
      await sleep(50);
    }
  };
  const running = run();
  running.catch(() => undefined); // thrown by stop
  return {
    changes,
    async stop() {
      isStopping = true;
      await running;
    },
  };
}
