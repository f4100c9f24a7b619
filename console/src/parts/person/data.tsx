import { useMemo, useState } from 'preact/hooks';
import type { DataCalendar, SeriesType } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { location } from '../../router.tsx';
import { useZone } from '../../user-zone.ts';
import { calendarOf, moveSpan, type Span, spanOf, yearEarlier } from '../charts/chart-span.ts';
import { Calendar } from '../charts/data-calendar.tsx';
import { lastSeconds, SeriesChart } from '../charts/series-chart.tsx';
import { Empty, Loaded } from '../states.tsx';
import type { OfUser } from './of-user.ts';

/** All series of a user over time, and which data exists on which day. */
export function Data({ userId, version }: OfUser) {
  const { query } = location.value;
  const [lastDay] = useState(() => lastSeconds(86_400));
  const span = useMemo(() => spanOf(query) ?? lastDay, [query, lastDay]);
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
