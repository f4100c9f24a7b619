import type { PhoneDays, PhoneItem } from '../phone/days.ts';
import { gpxOf, recordedRun } from './recorded-run.ts';
import { zipOf } from './zip.ts';

/** The devices of the days, as an export describes them. */
const devices: Readonly<Record<string, { readonly name: string; readonly hardware: string }>> = {
  'Apple Watch': { name: 'Watch of a user', hardware: 'Watch7,1' },
  iPhone: { name: 'iPhone of a user', hardware: 'iPhone15,2' },
};

const stages: Readonly<Record<string, string>> = {
  in_bed: 'InBed',
  core: 'AsleepCore',
  deep: 'AsleepDeep',
  rem: 'AsleepREM',
  awake: 'Awake',
};

/** The document type, as phones write it. */
const doctype = `<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!-- Note: Any Records that appear as children of a correlation also appear as top-level records in this document. -->
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
]>`;

/** The export of days: the document alone, and the archive with the routes of the runs. */
export function appleExport(
  data: PhoneDays,
  offsetMinutes: number,
): { readonly xml: string; readonly zip: Buffer } {
  const time = timesAt(offsetMinutes);
  const runs = data.workouts.map((run) => ({
    run,
    path: `/workout-routes/route_${run.startDate.slice(0, 10)}.gpx`,
  }));
  const lines = [
    // An export has the records of one type after those of another.
    ...Map.groupBy(data.records, ({ type }) => type).values(),
  ].flatMap((records) => records.map((record) => recordOf(record, time)));
  const nights = data.sleep.map((phase) => sleepOf(phase, time));
  const workouts = runs.map(({ run, path }) => workoutOf(run, path, time));
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
${doctype}
<HealthData locale="en_US">
${[...lines, ...nights, ...workouts].join('\n')}
</HealthData>
`;
  const routes = runs.map(({ run, path }) => ({
    name: `apple_health_export${path}`,
    bytes: Buffer.from(
      gpxOf(recordedRun(run.id, Date.parse(run.startDate), Date.parse(run.endDate)), 'Route'),
    ),
  }));
  const main = { name: 'apple_health_export/export.xml', bytes: Buffer.from(xml) };
  const summary = { name: 'apple_health_export/export_cda.xml', bytes: Buffer.from('<ClinicalDocument/>') };
  return { xml, zip: zipOf([main, summary, ...routes]) };
}

type Times = (iso: unknown) => string;

function timesAt(offsetMinutes: number): Times {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(offsetMinutes);
  const zone = `${offsetMinutes < 0 ? '-' : '+'}${two(size / 60)}${two(size % 60)}`;
  return (iso) => {
    const local = new Date(Date.parse(String(iso)) + offsetMinutes * 60_000).toISOString();
    return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zone}`;
  };
}

function attributesOf(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${String(value).replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`)
    .join(' ');
}

function common({ source, startDate, endDate }: PhoneItem, time: Times) {
  const named = String(Reflect.get(Object(source), 'deviceName'));
  const { name, hardware } = devices[named] ?? { name: named, hardware: named };
  const device = `<<HKDevice: 0x2812f8c30>, name:${named}, manufacturer:Apple Inc., hardware:${hardware}, software:10.1>`;
  const times = { creationDate: time(endDate), startDate: time(startDate), endDate: time(endDate) };
  return { sourceName: name, sourceVersion: '10.1', device, ...times };
}

function recordOf(item: PhoneItem, time: Times): string {
  const { type, unit, value } = item;
  return ` <Record ${attributesOf({ type, ...common(item, time), unit, value })}/>`;
}

function sleepOf(item: PhoneItem, time: Times): string {
  const value = `HKCategoryValueSleepAnalysis${stages[String(item.stage)] ?? 'AsleepUnspecified'}`;
  const type = 'HKCategoryTypeIdentifierSleepAnalysis';
  return ` <Record ${attributesOf({ type, ...common(item, time), value })}/>`;
}

function workoutOf(item: PhoneItem, path: string, time: Times): string {
  const sums = { type: 'HKQuantityTypeIdentifierDistanceWalkingRunning', sum: 7.1, unit: 'km' };
  const rates = { type: 'HKQuantityTypeIdentifierHeartRate', average: 148, maximum: 171, unit: 'count/min' };
  const attributes = {
    ...{ workoutActivityType: 'HKWorkoutActivityTypeRunning', duration: 39, durationUnit: 'min' },
    ...common(item, time),
  };
  return ` <Workout ${attributesOf(attributes)}>
  <MetadataEntry key="HKIndoorWorkout" value="0"/>
  <WorkoutStatistics ${attributesOf(sums)}/>
  <WorkoutStatistics ${attributesOf(rates)}/>
  <WorkoutRoute ${attributesOf(common(item, time))}><FileReference path="${path}"/></WorkoutRoute>
 </Workout>`;
}
