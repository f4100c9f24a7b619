import type { ProviderName } from '../../../providers/all.ts';

/** What goes wrong. The defaults are a world without faults. */
export interface Faults {
  readonly dropped: number;
  readonly doubled: number;
  readonly isDown: (provider: ProviderName) => boolean;
  readonly isSilent: (provider: ProviderName) => boolean;
}

/** A world without faults. */
export const noFaults: Faults = { dropped: 0, doubled: 0, isDown: () => false, isSilent: () => false };

/** What happened so far. */
export interface Counts {
  /** Requests to providers after notifications, and those of repairs. */
  reads: number;
  /** What `reads` would be without faults. */
  faultless: number;
  repairs: number;
  /** The most repairs of one step at a provider that was down. */
  probes: number;
  /** Hours from the record until it was stored by a repair. */
  readonly repairedAfter: number[];
  readonly published: { readonly action: string; readonly provider: string; readonly reason: string }[];
}
