import { useEffect, useState } from 'preact/hooks';

/** The way through pages that are linked by cursors. */
export interface Cursors {
  /** Undefined on the first page. */
  readonly cursor: string | undefined;
  /** From 1. */
  readonly page: number;
  next(cursor: string): void;
  previous(): void;
}

/** Begins with the first page, and anew with another list. */
export function useCursors(name: string): Cursors {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  useEffect(() => setCursors([]), [name]);
  return {
    cursor: cursors.at(-1),
    page: cursors.length + 1,
    next: (cursor) => setCursors([...cursors, cursor]),
    previous: () => setCursors(cursors.slice(0, -1)),
  };
}
