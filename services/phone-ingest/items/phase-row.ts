import type { NightPhase } from '../../../providers/phone/nights/join-phases.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';

/** A phase as it is stored. */
export function phaseRow({ source, ...phase }: SleepPhase): NightPhase {
  const { device, device_type, device_id, app } = source;
  return { ...phase, device, device_type, source: JSON.stringify([device_id ?? device, app]) };
}
