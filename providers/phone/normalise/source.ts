import type { Item } from '../../../domain/recipe/read-fields.ts';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { DeviceType, IntervalSource } from '../../../domain/records/interval-records.ts';
import { methodOfActive, withMethod } from '../../../domain/records/recording-method.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { flagOf, textOrNull } from './item.ts';

/** The device types that apps send, and ours. */
const deviceTypes: ReadonlyMap<unknown, DeviceType> = new Map([
  ...(['watch', 'ring', 'band', 'phone', 'scale'] as const).map((type) => [type, type] as const),
  ...(['fitness_band', 'chest_strap'] as const).map((type) => [type, 'band'] as const),
]);

/**
 * Apps that write what their own devices measured. Another app may copy the same walk of the same device, so it is a
 * source of its own.
 */
const ownApps = /^com\.(apple|samsung|sec)\./;

/** What measured an item. Names of devices are shown, so an app's name is added where the app is not the device's own. */
export function sourceOf({ source, metadata }: Item): IntervalSource {
  if (!isItem(source)) return { device_type: 'unknown', device: 'unknown', device_id: null, app: null };
  const app = textOrNull(source.bundleIdentifier ?? source.appId, 200);
  const model = textOrNull(source.deviceModel ?? source.productType, 100);
  const device = textOrNull(source.deviceName, 100) ?? model;
  // HealthKit marks what the user typed in; Health Connect has a recording method.
  const isManual =
    source.recordingMethod === 'manual' || (isItem(metadata) && flagOf(metadata.HKWasUserEntered) === true);
  return {
    device_type: isManual ? 'manual' : typeOf(source, model),
    device: shownName(device, app, textOrNull(source.name, 100)),
    device_id: textOrNull(source.deviceId, 200),
    app,
  };
}

function shownName(device: string | null, app: string | null, appName: string | null): string {
  const writer = appName ?? app;
  if (device === null) return writer ?? 'unknown';
  if (app === null || ownApps.test(app)) return device;
  return `${device} (${writer})`.slice(0, 100);
}

function typeOf({ deviceType }: Item, model: string | null): DeviceType {
  const known = typeof deviceType === 'string' ? deviceTypes.get(deviceType.toLowerCase()) : undefined;
  if (known !== undefined) return known;
  if (model === null) return 'unknown';
  if (/watch/i.test(model)) return 'watch';
  return /iphone|ipad/i.test(model) ? 'phone' : 'unknown';
}

/** The name under which samples of a type are stored: the device, and how it made them. */
export function sampleDevice(
  { source }: Item,
  { device, device_type }: IntervalSource,
  type: SeriesType,
): string {
  if (device_type === 'manual') return withMethod(device, 'manual');
  const isActive = isItem(source) && source.recordingMethod === 'active';
  return isActive ? withMethod(device, methodOfActive(type)) : device;
}
