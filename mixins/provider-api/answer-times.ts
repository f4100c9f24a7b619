import type { CallingOptions } from 'moleculer';
import type { Config } from '../../config.ts';
import { type ProviderName, providerNames } from '../../providers/all.ts';
import type { Environment } from '../../runtime/environment.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';

/** Response times and results of a provider's API, summed over a period. */
interface AnswerTimes {
  readonly requests: number;
  /** Requests whose connection failed, or with a 5xx answer. Requests that were ended here are not counted at all. */
  readonly failed: number;
  /** Requests that the provider answered 429. */
  readonly rejected: number;
  readonly total_ms: number;
  readonly slowest_ms: number;
}

/** Called after each request that was sent and not ended here. Status 0: no answer. */
export type NoteAnswer = (url: URL, status: number, tookMs: number) => void;

const everyMs = 5000;

/**
 * Collects response times in this process and reports them periodically. Figures that are not yet reported are lost if
 * the process dies. They inform operators and drive no decision.
 */
export function gatherAnswerTimes({ config, call }: Environment): {
  note: NoteAnswer;
  close(): Promise<void>;
} {
  const prefixes = prefixesOf(config);
  const gathered = new Map<ProviderName, AnswerTimes>();
  const flush = async (options: CallingOptions = {}) => {
    const answers = [...gathered].map(([provider, times]) => ({ provider, ...times }));
    gathered.clear();
    if (answers.length === 0) return;
    await call('deliveries.noteAnswers', { answers }, options).catch(() => undefined);
  };
  const timer = setInterval(() => void flush(), everyMs);
  return {
    note(url, status, tookMs) {
      const found = prefixes.find(([prefix]) => url.href.startsWith(prefix));
      if (found !== undefined) gathered.set(found[1], add(gathered.get(found[1]), status, tookMs));
    },
    async close() {
      clearInterval(timer);
      await flush({ timeout: 1000 }); // a stop does not wait for figures
    },
  };
}

function prefixesOf(config: Config): [string, ProviderName][] {
  return providerNames.flatMap((provider): [string, ProviderName][] => {
    const { apiUrl } = settingsOf(config, provider);
    return apiUrl === null ? [] : [[apiUrl, provider]];
  });
}

function add(so: AnswerTimes | undefined, status: number, tookMs: number): AnswerTimes {
  const ms = Math.round(tookMs);
  return {
    requests: (so?.requests ?? 0) + 1,
    failed: (so?.failed ?? 0) + (status === 0 || status >= 500 ? 1 : 0),
    rejected: (so?.rejected ?? 0) + (status === 429 ? 1 : 0),
    total_ms: (so?.total_ms ?? 0) + ms,
    slowest_ms: Math.max(so?.slowest_ms ?? 0, ms),
  };
}
