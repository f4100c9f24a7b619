import type { PlantedFault } from '../planted.ts';

const brand = 'test/http/projects/connect-brand.test.ts';

type Row = readonly [promise: string, file: string, before: string, after: string, test: string];

const rows: readonly Row[] = [
  [
    'A logo whose bytes are no raster image is refused.',
    'services/auth/connect-logo.ts',
    'if (form === null) throw',
    "if (form === null && !image.startsWith('PHN2Zy')) throw",
    brand,
  ],
  [
    'A link shows the logo of its own project.',
    'services/auth/queries/select-projects.ts',
    'connect_colour, connect_logo from auth.project where id = $1',
    "connect_colour, connect_logo from auth.project where $1 <> '' order by connect_logo nulls last limit 1",
    brand,
  ],
  [
    'The type of a logo is that of its bytes.',
    'services/api-gateway/connect-page/page-assets.ts',
    '{ type: imageTypes[form], content, name }',
    '{ type: imageTypes.png, content, name }',
    brand,
  ],
  [
    'A style sheet is served at the address with its hash only.',
    'services/api-gateway/connect-page/page-assets.ts',
    'return style?.name === name ? style : null;',
    'return style;',
    brand,
  ],
];

/** Credentials and branding of a project. */
export const projectSettings: readonly PlantedFault[] = rows.map(([promise, file, before, after, test]) => ({
  ...{ kind: 'tenant', promise, file, before, after, test },
}));
