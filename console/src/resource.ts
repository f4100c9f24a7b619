import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What a page reads: `data` stays while it is read again. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

interface Held<T> {
  readonly key: string;
  readonly data?: T;
  readonly error?: Error;
}

/** Reads anew whenever `key` changes; an answer to an earlier key is ignored. `keep` shows the old data meanwhile. */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => PromiseLike<T>,
  keep = false,
): Resource<T> {
  const [held, setHeld] = useState<Held<T> | null>(null);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const abort = new AbortController();
    latest.current(abort.signal).then(
      (data) => !abort.signal.aborted && setHeld({ key, data }),
      (cause) => {
        if (abort.signal.aborted) return;
        const error = cause instanceof Error ? cause : new Error(String(cause));
        setHeld((old) => (old?.key === key && old.data !== undefined ? { ...old, error } : { key, error }));
      },
    );
    return () => abort.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  const isCurrent = held?.key === key;
  return {
    data: isCurrent || keep ? held?.data : undefined,
    error: isCurrent ? held?.error : undefined,
    isLoading: !isCurrent,
    reload,
  };
}

/** Calls `work` every `everyMs` while the page is visible. */
export function useRepeated(everyMs: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
