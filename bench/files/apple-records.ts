/** A document of Apple Health with as many records, as a phone and a watch write them, piece by piece. */
export function* appleRecords(count: number): Generator<Buffer> {
  yield Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n');
  const perPiece = 2000;
  for (let at = 0; at < count; at += perPiece) {
    const records = Array.from({ length: Math.min(perPiece, count - at) }, (_, index) =>
      recordOf(at + index, count),
    );
    yield Buffer.from(records.join('\n'));
  }
  yield Buffer.from('\n</HealthData>\n');
}

const firstMs = Date.UTC(2016, 0, 1);
const devices = ['Apple Watch', 'iPhone'] as const;
const types = [
  ['HeartRate', 'count/min'],
  ['StepCount', 'count'],
  ['ActiveEnergyBurned', 'Cal'],
  ['DistanceWalkingRunning', 'km'],
] as const;

// As in an export, the records of a type follow each other.
function recordOf(index: number, count: number): string {
  const place = Math.floor((index * types.length) / count);
  const [type, unit] = types[place] ?? types[0];
  const device = devices[place % 2] ?? devices[0];
  const start = time(firstMs + (index - Math.ceil((place * count) / types.length)) * 60_000);
  const value = type === 'HeartRate' ? 60 + (index % 60) : (index % 50) / 10;
  const described = `&lt;&lt;HKDevice: 0x2812f8c30&gt;, name:${device}, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7, software:10.1&gt;`;
  return ` <Record type="HKQuantityTypeIdentifier${type}" sourceName="${device} of a user" sourceVersion="10.1" device="${described}" unit="${unit}" creationDate="${start}" startDate="${start}" endDate="${start}" value="${value}"/>`;
}

const time = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
