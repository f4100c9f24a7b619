import type { Playable } from '../conformance/chosen.ts';

/** What a caller relies on. Faults of the first four kinds must all be found. */
export type PromiseKind =
  | 'tenant'
  | 'erasure'
  | 'secret'
  | 'quota'
  | 'time'
  | 'unit'
  | 'retry'
  | 'end'
  | 'leak'
  | 'order'
  | 'value';

/** A mistake that a person could make: in `file`, `before`, which stands there once, gives way to `after`. */
export interface PlantedFault {
  readonly kind: PromiseKind;
  /** The promise that the fault breaks, as a sentence. */
  readonly promise: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The test file that fails then. Null: none does. */
  readonly test: string | null;
  /** Of a part of the conformance suite: the scenarios that are played. */
  readonly scenarios?: readonly Playable[];
}

/** The source with the fault. @throws where `before` does not stand there exactly once. */
export function withFault(source: string, { file, before, after, promise }: PlantedFault): string {
  const parts = source.split(before);
  if (parts.length === 2) return parts.join(after);
  throw new Error(
    `${file} has the text of the fault "${promise}" ${parts.length - 1} times: ${before.slice(0, 80)}`,
  );
}
