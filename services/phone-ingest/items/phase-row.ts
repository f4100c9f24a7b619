import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import type { PhaseRow } from '../queries/phases.ts';

/** A phase as it is stored. */
export function phaseRow({ source, ...phase }: SleepPhase): PhaseRow {
  const { device, device_type, device_id, app } = source;
  return { ...phase, device, device_type, source: JSON.stringify([device_id ?? device, app]) };
}
