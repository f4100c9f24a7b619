import { chooseUnits, units } from '../../units.ts';

const choices = [
  { units: 'metric', text: 'Metric: kilometres, kilograms, °C' },
  { units: 'imperial', text: 'Imperial: miles, pounds, °F' },
] as const;

/** Chooses the units in which this browser shows lengths, weights and temperatures. */
export function UnitChoice() {
  return (
    <>
      <h2>Units</h2>
      <fieldset>
        <legend class="faint">In this browser, on all pages</legend>
        {choices.map((one) => (
          <label key={one.units} class="choice">
            <input
              type="radio"
              name="units"
              checked={units.value === one.units}
              onChange={() => chooseUnits(one.units)}
            />
            {one.text}
          </label>
        ))}
      </fieldset>
    </>
  );
}
