import t from 'tap';
import {
  longestDevice,
  methodOfActive,
  readMethod,
  recordingMethods,
  sampleSource,
  withMethod,
} from '../../domain/records/recording-method.ts';

t.test('a stored name has the device and the method', async (t) => {
  for (const method of recordingMethods) {
    t.same(readMethod(withMethod('Index S2', method)), { device: 'Index S2', method });
    const long = withMethod('x'.repeat(100), method);
    t.equal(long.length, 100);
    t.match(readMethod(long), { device: 'x'.repeat(long.indexOf('\u001f')), method });
    t.equal(readMethod(withMethod('y'.repeat(longestDevice), method)).device.length, longestDevice);
  }
  t.not(withMethod('Index S2', 'manual'), withMethod('Index S2', 'on_demand'));
});

t.test('a name without a method is stored as it is', async (t) => {
  for (const device of ['unknown', 'Index S2', 'Index\u001fS2', 'x'.repeat(100)]) {
    t.equal(withMethod(device, null), device);
    t.same(readMethod(device), { device, method: null });
  }
});

t.test('the device of values without a device is that of values that were typed in', async (t) => {
  t.equal(withMethod('manual', 'manual'), 'manual');
  t.same(readMethod('manual'), { device: 'manual', method: 'manual' });
});

t.test('an answer has the method only where there is one', async (t) => {
  t.same(sampleSource('phone', 'Watch'), { source: { provider: 'phone', device: 'Watch' } });
  t.same(sampleSource('phone', withMethod('Watch', 'manual')), {
    source: { provider: 'phone', device: 'Watch' },
    recording_method: 'manual',
  });
});

t.test('an active recording is a measurement on demand, except of what workouts record', async (t) => {
  t.equal(methodOfActive('oxygen_saturation'), 'on_demand');
  t.equal(methodOfActive('blood_pressure_systolic'), 'on_demand');
  t.equal(methodOfActive('heart_rate'), null);
  t.equal(methodOfActive('power'), null);
});
