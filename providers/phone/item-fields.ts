import { assumed, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';

const ofDevice = 'describes the device, which the source names';
/** The unit of a value that has its unit beside it. */
export const asSent = 'as sent';

/** Fields of all items. */
export const item: FieldTable = {
  id: kept(null, 'key'),
  startDate: kept(null, 'start_time'),
  zoneOffset: kept(null, 'zone_offset'),
  'metadata.HKTimeZone': kept(null, 'zone_offset'),
  parentId: notKept('groups items that a phone made of one record'),
  'source.bundleIdentifier': kept(null, 'source'),
  'source.appId': kept(null, 'source'),
  'source.name': kept(null, 'source'),
  'source.productType': kept(null, 'source'),
  'source.deviceName': kept(null, 'source'),
  'source.deviceModel': kept(null, 'source'),
  'source.version': notKept(ofDevice),
  'source.operatingSystemVersion': notKept(ofDevice),
  'source.deviceManufacturer': notKept(ofDevice),
  ...assumed({
    'source.deviceHardwareVersion': notKept(ofDevice),
    'source.deviceSoftwareVersion': notKept(ofDevice),
  }),
};
