import { Pulsebus, PulsebusError } from '@pulsebus/client';

const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
const svg = document.querySelector('svg');
const [width, height, lowest, highest] = [960, 320, 40, 200];

form.elements.day.valueAsDate = new Date(Date.now() - 86_400_000);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  show(Object.fromEntries(new FormData(form)));
});

async function show({ server, key, user, day }) {
  status.textContent = 'Reading …';
  const pulsebus = new Pulsebus({ baseUrl: server, apiKey: key });
  try {
    const samples = await pulsebus.timeseries
      .samples({
        user_id: user,
        types: ['heart_rate'],
        resolution: '5min',
        start_time: day,
        end_time: day,
        limit: 100,
      })
      .toArray();
    draw(samples, Date.parse(day));
    status.textContent = `${samples.length} values of ${day}`;
  } catch (error) {
    if (!(error instanceof PulsebusError)) throw error;
    status.textContent = error.message;
  }
}

function draw(samples, startMs) {
  const x = (time) => ((Date.parse(time) - startMs) / 86_400_000) * width;
  const y = (value) => height - ((value - lowest) / (highest - lowest)) * height;
  const points = samples.map(({ timestamp, value }) => `${x(timestamp).toFixed(1)},${y(value).toFixed(1)}`);
  svg.replaceChildren(
    element('polyline', { points: points.join(' ') }),
    ...[60, 100, 140, 180].map((value) => element('text', { x: 4, y: y(value) }, `${value} bpm`)),
  );
}

function element(name, attributes, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}
