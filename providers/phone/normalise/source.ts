import type { DeviceType, IntervalSource } from '../../../domain/records/interval-records.ts';
import { methodOfActive, withMethod } from '../../../domain/records/recording-method.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { isObject, type RawItem, textOrNull } from './item.ts';

/** The device types that apps send, and ours. */
const deviceTypes: Readonly<Record<string, DeviceType>> = {
  watch: 'watch',
  ring: 'ring',
  fitness_band: 'band',
  band: 'band',
  chest_strap: 'band',
  phone: 'phone',
  scale: 'scale',
};

/**
 * Apps that write what their own devices measured. Another app may copy the same walk of the same device, so it is a
 * source of its own.
 */
const ownApps = /^com\.(apple|samsung|sec)\./;

const unknownSource: IntervalSource = {
  device_type: 'unknown',
  device: 'unknown',
  device_id: null,
  app: null,
};

/** What measured an item. Names of devices are shown, so an app's name is added where the app is not the device's own. */
export function sourceOf(item: RawItem): IntervalSource {
  const { source } = item;
  if (!isObject(source)) return unknownSource;
  const app = textOrNull(source.bundleIdentifier ?? source.appId, 200);
  const model = textOrNull(source.deviceModel ?? source.productType, 100);
  const device = textOrNull(source.deviceName, 100) ?? model;
  return {
    device_type: isManual(item, source) ? 'manual' : typeOf(source, model),
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

function typeOf({ deviceType }: RawItem, model: string | null): DeviceType {
  const known = typeof deviceType === 'string' ? deviceTypes[deviceType.toLowerCase()] : undefined;
  if (known !== undefined) return known;
  if (model === null) return 'unknown';
  if (/watch/i.test(model)) return 'watch';
  return /iphone|ipad/i.test(model) ? 'phone' : 'unknown';
}

/** The name under which samples of a type are stored: the device, and how it made them. */
export function sampleDevice(
  item: RawItem,
  { device, device_type }: IntervalSource,
  type: SeriesType,
): string {
  if (device_type === 'manual') return withMethod(device, 'manual');
  const isActive = isObject(item.source) && item.source.recordingMethod === 'active';
  return isActive ? withMethod(device, methodOfActive(type)) : device;
}

// HealthKit marks what the user typed in; Health Connect has a recording method.
function isManual({ metadata }: RawItem, { recordingMethod }: RawItem): boolean {
  if (recordingMethod === 'manual') return true;
  const entered = isObject(metadata) ? metadata.HKWasUserEntered : undefined;
  return entered === true || entered === 1 || entered === '1' || entered === 'true';
}
