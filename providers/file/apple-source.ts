import type { IntervalSource } from '../../domain/records/interval-records.ts';
import { sourceOf } from '../phone/normalise/source.ts';

/** Names of the devices of Apple, and of its own app. Another writer is an app that may copy what a device measured. */
const ownWriter = /watch|iphone|ipad|ipod|^(apple )?health$/i;

/**
 * What measured an entry. `device` is a description of the device with an address of the memory of the phone, which differs
 * in each export: `<<HKDevice: 0x281b>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7>`.
 */
export function appleSource(name: string, device: string | undefined, isManual: boolean): IntervalSource {
  const parts = new Map(
    [...(device ?? '').matchAll(/(?:^|, )(name|hardware|model):(.*?)(?=, \w+:|>?$)/g)].map(
      ([, part = '', text = '']) => [part, text] as const,
    ),
  );
  const isOwn = ownWriter.test(name);
  const model = parts.get('hardware') ?? parts.get('model') ?? (isOwn ? name : undefined);
  const writer = isOwn ? { bundleIdentifier: 'com.apple.health' } : { appId: name };
  return sourceOf({
    source: {
      ...{ ...writer, name, deviceName: parts.get('name'), deviceModel: model },
      recordingMethod: isManual ? 'manual' : undefined,
    },
  });
}
