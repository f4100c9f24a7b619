/** A point of a route; null where no position was measured. */
export interface RoutePoint {
  readonly latitude?: number | null;
  readonly longitude?: number | null;
}

/** A route as an SVG path, in the proportions of the ground, north at the top. */
export interface Outline {
  readonly path: string;
  /** The place of each point; null where no position was measured. */
  readonly places: readonly (Place | null)[];
  readonly width: number;
  readonly height: number;
  readonly start: Place;
  readonly end: Place;
}

/** A place in the drawing. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The outline of a route in a box whose longer side is `size`; null if it has no two different positions. */
export function outlineOf(points: readonly RoutePoint[], size: number): Outline | null {
  const places = placesOf(points);
  const known = places.filter((place) => place !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return null;
  const xs = known.map(({ x }) => x);
  const ys = known.map(({ y }) => y);
  const [left, top] = [least(xs), least(ys)];
  const [wide, high] = [most(xs) - left, most(ys) - top];
  const longer = Math.max(wide, high);
  if (longer === 0) return null;
  const scaled = ({ x, y }: Place): Place => ({
    x: ((x - left) / longer) * size,
    y: ((y - top) / longer) * size,
  });
  const drawn = places.map((place) => place && scaled(place));
  return {
    path: pathOf(drawn),
    places: drawn,
    width: (wide / longer) * size,
    height: (high / longer) * size,
    start: scaled(first),
    end: scaled(last),
  };
}

const least = (values: readonly number[]) => values.reduce((one, other) => Math.min(one, other));
const most = (values: readonly number[]) => values.reduce((one, other) => Math.max(one, other));

// A degree of longitude shrinks with the distance from the equator. A route may cross the 180th meridian.
function placesOf(points: readonly RoutePoint[]): (Place | null)[] {
  let origin: { latitude: number; longitude: number } | null = null;
  return points.map(({ latitude = null, longitude = null }) => {
    if (latitude === null || longitude === null) return null;
    origin ??= { latitude, longitude };
    const east = ((longitude - origin.longitude + 540) % 360) - 180;
    return { x: east * Math.cos((origin.latitude * Math.PI) / 180), y: origin.latitude - latitude };
  });
}

// A gap in the positions is a gap in the path.
function pathOf(places: readonly (Place | null)[]): string {
  let isDrawing = false;
  const commands = places.map((place) => {
    const command =
      place === null ? '' : `${isDrawing ? 'L' : 'M'}${place.x.toFixed(1)} ${place.y.toFixed(1)}`;
    isDrawing = place !== null;
    return command;
  });
  return commands.filter((command) => command !== '').join('');
}
