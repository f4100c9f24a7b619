import { useMemo, useState } from 'preact/hooks';
import type { DataCalendar, SeriesType, User as UserFields } from '../../../clients/typescript/src/index.ts';
import { api, streamUrl } from '../api.ts';
import { useChanges } from '../changes.ts';
import { Bars, format } from '../parts/charts/bars.tsx';
import { calendarOf, moveSpan, type Span, spanOf, yearEarlier } from '../parts/charts/chart-span.ts';
import { Calendar } from '../parts/charts/data-calendar.tsx';
import { lastSeconds, SeriesChart } from '../parts/charts/series-chart.tsx';
import { TypedConfirmation } from '../parts/dialog.tsx';
import { Accesses } from '../parts/person/accesses.tsx';
import { Connections } from '../parts/person/connections.tsx';
import { Consents } from '../parts/person/consents.tsx';
import { Scores } from '../parts/person/scores.tsx';
import { Sleep } from '../parts/person/sleep.tsx';
import { Workouts } from '../parts/person/workouts.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { daysAgo, Time } from '../parts/time.tsx';
import { useResource } from '../resource.ts';
import { location, navigate } from '../router.tsx';
import { can } from '../session.ts';
import { sourceOf } from '../titles.ts';
import { newestZone, UserZone, useZone } from '../user-zone.ts';
import { type Zone, zoneName } from '../zone.ts';

/** One user: the data, the connections, and what can be done. It is renewed as changes arrive. */
export function User({ id }: { id: string }) {
  const [isLeaving, setLeaving] = useState(false);
  const version = useChanges({ userId: id, isFollowed: !isLeaving });
  const { query } = location.value;
  const [lastDay] = useState(() => lastSeconds(86_400));
  const span = useMemo(() => spanOf(query) ?? lastDay, [query, lastDay]);
  const user = useResource(`${id} ${version}`, (signal) => readUser(id, signal), true);
  if (user.error !== undefined && user.data === undefined)
    return (
      <>
        <h1>User</h1>
        <Problem error={user.error} what="user" retry={user.reload} />
      </>
    );
  return (
    <>
      {user.data === undefined && <h1>User</h1>}
      <Loaded of={user} what="user">
        {({ fields, zone }) => (
          <UserZone.Provider value={zone}>
            <Head user={fields} setLeaving={setLeaving} />
            {can('data.read') && <Data userId={id} version={version} span={span} />}
            <h2>Connections</h2>
            <Connections userId={id} version={version} />
            {can('data.read') && <Records userId={id} version={version} />}
            <h2>Consents</h2>
            <Consents userId={id} version={version} />
            {can('accesses.read') && (
              <>
                <h2>Access</h2>
                <Accesses userId={id} version={version} />
              </>
            )}
          </UserZone.Provider>
        )}
      </Loaded>
    </>
  );
}

function Records(of: OfUser) {
  return (
    <>
      <h2>Activity</h2>
      <Activity {...of} />
      <h2>Sleep</h2>
      <Sleep {...of} />
      <h2>Scores</h2>
      <Scores {...of} />
      <h2>Workouts</h2>
      <Workouts {...of} />
      <h2>Body</h2>
      <Body {...of} />
    </>
  );
}

const setZone = ({ time_zone = null }: UserFields & { readonly time_zone?: Zone }) => time_zone;

// Sections are read after the zone, which decides their days.
async function readUser(user_id: string, signal: AbortSignal) {
  const [fields, zone] = await Promise.all([
    api.users.get({ user_id }, { signal }),
    can('data.read') ? newestZone(user_id, signal) : null,
  ]);
  return { fields, zone: setZone(fields) ?? zone };
}

function Head({ user, setLeaving }: { user: UserFields; setLeaving: (isLeaving: boolean) => void }) {
  const zone = useZone();
  const name = [user.first_name, user.last_name].filter((part) => part !== null).join(' ');
  return (
    <>
      <div class="row between">
        <h1>{name === '' ? 'User without a name' : name}</h1>
        <div class="row">
          {can('data.export') && (
            <a class="button" href={streamUrl(`/users/${user.id}/export`)} download>
              Export all data
            </a>
          )}
          {can('users.write') && (
            <TypedConfirmation
              label="Delete the user"
              title={`Delete ${name === '' ? 'this user' : name}?`}
              word="delete"
              run={async () => {
                setLeaving(true); // the change that says that the user is deleted would be read as one to show
                await api.users.remove({ user_id: user.id }).catch((error: unknown) => {
                  setLeaving(false);
                  throw error;
                });
                navigate('/users');
              }}
            >
              <p>All samples, records and connections of the user are erased. This cannot be undone.</p>
            </TypedConfirmation>
          )}
        </div>
      </div>
      <dl class="facts">
        <dt>Id</dt>
        <dd>
          <code>{user.id}</code>
        </dd>
        <dt>External id</dt>
        <dd>{user.external_user_id ?? 'none'}</dd>
        <dt>E-mail address</dt>
        <dd>{user.email ?? 'none'}</dd>
        <dt>Time zone</dt>
        <dd>{zone === null ? `not known, times are in ${zoneName(zone)}` : zoneName(zone)}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={user.created_at} />
        </dd>
      </dl>
    </>
  );
}

interface OfUser {
  readonly userId: string;
  readonly version: number;
}

function Data({ userId, version, span }: OfUser & { span: Span }) {
  const zone = useZone();
  const { yearsBack, ...dates } = calendarOf(span, zone);
  const calendar = useResource(
    `${userId} ${version} ${yearsBack} ${zone}`,
    (signal) => api.timeseries.calendar({ user_id: userId, ...dates }, { signal }),
    true,
  );
  const available = calendar.data === undefined ? usual : typesIn(calendar.data);
  return (
    <>
      <h2>Series</h2>
      {available.length === 0 ? (
        <NoSamples {...dates} span={span} isPast={yearsBack > 0} />
      ) : (
        <SeriesChart {...{ userId, available, span, version }} setSpan={moveSpan} />
      )}
      <Loaded of={calendar} what="data">
        {(data) =>
          available.length > 0 && (
            <>
              <h2>Data by day</h2>
              <Calendar calendar={data} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

// The chart is read beside the calendar, with the type that nearly every user has.
const usual: readonly SeriesType[] = ['heart_rate'];

function NoSamples(props: { start_date: string; end_date: string; span: Span; isPast: boolean }) {
  const { start_date, end_date, span, isPast } = props;
  return (
    <>
      <Empty>
        There are no samples from {start_date} to {end_date}.
        {!isPast && ' They arrive once an account is connected.'}
      </Empty>
      <div class="row">
        <button type="button" onClick={() => moveSpan(yearEarlier(span))}>
          A year earlier
        </button>
        {isPast && (
          <button type="button" onClick={() => moveSpan(lastSeconds(86_400))}>
            Today
          </button>
        )}
      </div>
    </>
  );
}

function typesIn({ data }: DataCalendar): SeriesType[] {
  const types = data.flatMap(({ kind, type }) => (kind === 'sample' && isSeries(type) ? [type] : []));
  return [...new Set(types)];
}

// A row of samples has the type of its series; the types of other events are of other rows.
const isSeries = (type: string | null): type is SeriesType => type !== null;

function Activity({ userId, version }: OfUser) {
  const zone = useZone();
  const days = useResource(
    `${userId} ${version} ${zone}`,
    (signal) =>
      api.summaries
        .activity(
          { user_id: userId, start_date: daysAgo(29, zone), end_date: daysAgo(0, zone), limit: 100 },
          { signal },
        )
        .toArray(100),
    true,
  );
  return (
    <Loaded of={days} what="activity">
      {(list) =>
        list.length === 0 ? (
          <Empty>No activity in the last 30 days.</Empty>
        ) : (
          <Bars
            title="Steps by day"
            unit="steps"
            noteTitle="Source"
            bars={list
              .toSorted((one, other) => one.date.localeCompare(other.date))
              .map(({ date, steps, source }) => ({
                label: date,
                value: steps,
                note: sourceOf(source),
              }))}
          />
        )
      }
    </Loaded>
  );
}

function Body({ userId, version }: OfUser) {
  const body = useResource(
    `${userId} ${version}`,
    (signal) => api.summaries.body({ user_id: userId }, { signal }),
    true,
  );
  return (
    <Loaded of={body} what="body">
      {(summary) => {
        if (summary === null) return <Empty>No body measurements yet.</Empty>;
        const { slow_changing: slow, averaged, latest } = summary;
        const facts: readonly (readonly [string, number | null, string])[] = [
          ['Weight', slow.weight_kg, 'kg'],
          ['Height', slow.height_cm, 'cm'],
          ['Body fat', slow.body_fat_percent, '%'],
          ['Muscle mass', slow.muscle_mass_kg, 'kg'],
          ['Body mass index', slow.bmi, 'kg/m²'],
          ['Resting heart rate', averaged.resting_heart_rate_bpm, 'bpm'],
          ['Heart rate variability (SDNN)', averaged.avg_hrv_sdnn_ms, 'ms'],
          ['Body temperature', latest.body_temperature_celsius, '°C'],
          ['Skin temperature', latest.skin_temperature_celsius, '°C'],
        ];
        const known = facts.flatMap(([name, value, unit]) => (value === null ? [] : [{ name, value, unit }]));
        if (known.length === 0) return <Empty>No body measurements yet.</Empty>;
        return (
          <dl class="facts">
            {known.map(({ name, value, unit }) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} value`}>
                {format(value)} {unit}
              </dd>,
            ])}
          </dl>
        );
      }}
    </Loaded>
  );
}
