import { createHash } from 'node:crypto';
import { resourceId } from './ids.ts';

/** The provider and the device of data. */
export interface DeviceSource {
  readonly provider: string;
  readonly device: string;
}

/** The id of the Device of a source of a user. */
export function deviceId(userId: string, { provider, device }: DeviceSource): string {
  const cached = `${userId} ${provider} ${device}`;
  const known = ids.get(cached);
  if (known !== undefined) return known;
  const hash = createHash('sha256')
    .update(JSON.stringify([provider, device]))
    .digest('hex');
  const id = resourceId(userId, hash.slice(0, 20));
  if (ids.size >= mostKept) ids.clear();
  ids.set(cached, id);
  return id;
}

// A page of Observations has few devices.
const ids = new Map<string, string>();
const mostKept = 1000;

/** The Device of a source of a user. */
export function deviceOf(userId: string, source: DeviceSource) {
  return {
    resourceType: 'Device' as const,
    id: deviceId(userId, source),
    status: 'active',
    manufacturer: source.provider,
    deviceName: [{ name: source.device, type: 'user-friendly-name' }],
    patient: { reference: `Patient/${userId}` },
  };
}
