import type { Chart, ChartSeries, SeriesType } from '../../../../clients/typescript/src/index.ts';

interface Source {
  readonly provider: string;
  readonly device: string;
}

/** The series of a record's own device, otherwise of its provider, otherwise any; the one with most values. */
export function seriesNear({ series }: Chart, type: SeriesType, source: Source): ChartSeries | undefined {
  const near = (one: ChartSeries) =>
    Number(one.source.provider === source.provider) + Number(one.source.device === source.device);
  return series
    .filter((one) => one.type === type)
    .toSorted((one, other) => near(other) - near(one) || other.statistics.count - one.statistics.count)[0];
}
