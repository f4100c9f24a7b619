import t from 'tap';
import { pointsPerChunk, type StreamType, streamTypes, type Track } from '../../../domain/workouts/track.ts';
import { chunksOf, decodeChunk } from '../../../domain/workouts/track-codec.ts';
import { seeded } from '../../services/timeseries/model.ts';

type Columns = Partial<Record<StreamType, (index: number) => number>>;

function trackOf(points: number, columns: Columns): Track {
  const read = streamTypes.flatMap((type): [StreamType, Float64Array][] => {
    const at = columns[type];
    return at === undefined ? [] : [[type, Float64Array.from({ length: points }, (_, index) => at(index))]];
  });
  const times = Array.from({ length: points }, (_, index) => 1_767_000_000_000 + index * 1000);
  return { times, columns: new Map(read) };
}

t.test('a track is decoded exactly, in chunks, with its gaps', async (t) => {
  const random = seeded(4);
  const track = trackOf(4000, {
    latitude: (index) => (index % 7 === 0 ? Number.NaN : 50 + random()),
    longitude: (index) => (index % 7 === 0 ? Number.NaN : Math.round(random() * 1e7) / 1e7),
    heart_rate: () => 60 + Math.floor(random() * 100),
    power: (index) => (index < 2000 ? Number.NaN : 200),
  });
  const chunks = chunksOf(track);
  t.same(
    chunks.map(({ index, points }) => [index, points]),
    [
      [0, pointsPerChunk],
      [1, pointsPerChunk],
      [2, 400],
    ],
  );
  t.notOk(chunks[0]?.columns.power, 'a stream without a value in a chunk is left out of it');
  const decoded = chunks.map(decodeChunk);
  t.same(
    decoded.flatMap(({ times }) => times),
    track.times,
  );
  for (const [type, values] of track.columns) {
    const found = decoded.flatMap(({ times, columns }) => [
      ...(columns.get(type) ?? times.map(() => Number.NaN)),
    ]);
    t.ok(
      values.every((value, index) => Object.is(value, found[index])),
      type,
    );
  }
  t.equal(
    chunks.reduce((sum, { located }) => sum + located, 0),
    4000 - Math.ceil(4000 / 7),
  );
});

t.test('a point of an hour outdoors at 1 Hz takes less than 25 bytes', async (t) => {
  const random = seeded(5);
  const wander = (from: number, step: number, digits: number) => {
    let value = from;
    return () => {
      value += (random() - 0.5) * step;
      return Math.round(value * 10 ** digits) / 10 ** digits;
    };
  };
  const track = trackOf(3600, {
    ...{ latitude: wander(50, 0.0001, 6), longitude: wander(8, 0.0001, 6), altitude: wander(100, 1, 1) },
    ...{ distance: (index: number) => index * 3.2, speed: wander(3, 0.2, 3), heart_rate: wander(140, 3, 0) },
    ...{ cadence: wander(85, 2, 0), power: wander(220, 20, 0), moving: () => 1 },
  });
  const bytes = chunksOf(track).flatMap(({ times, columns }) => [times, ...Object.values(columns)]);
  const perPoint = bytes.reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0) / 3600;
  t.ok(perPoint < 25, String(perPoint));
});
