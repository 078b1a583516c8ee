import { escapedText, type PictureScheme, pictureSchemes } from './picture-schemes.js';

type Color = keyof (typeof pictureSchemes)['light'];

/** A rectangle with a title and lines of text. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly lines?: readonly string[];
  /** The color of the title. */
  readonly color?: Color;
}

/** A line through points, with a head at its end and a text beside it. */
export interface Arrow {
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly label?: { readonly x: number; readonly y: number; readonly text: string };
}

/** A picture as boxes on areas, joined by arrows. The text of a page says the same, for readers who do not see it. */
export interface Drawing {
  readonly name: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** Behind the boxes; a title stands at the top left. */
  readonly areas: readonly Box[];
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const lineHeight = 18;

export function drawingSvg({ title, width, height, areas, boxes, arrows }: Drawing, scheme: PictureScheme): string {
  const colors = pictureSchemes[scheme];
  const text = (x: number, y: number, content: string, color: Color, more = ''): string =>
    `<text x="${x}" y="${y}" fill="${colors[color]}"${more}>${escapedText(content)}</text>`;
  const rect = ({ x, y, width, height }: Box, fill: string, more: string): string =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${colors.frame}"${more}/>`;

  const area = (one: Box): string[] => [
    rect(one, 'none', ' stroke-dasharray="5 4"'),
    text(one.x + 14, one.y + 22, one.title, 'faint', ' font-size="12"'),
  ];
  const box = (one: Box): string[] => {
    const { x, y, width, height, title, lines = [], color = 'text' } = one;
    const middle = x + width / 2;
    const first = y + height / 2 - (lines.length * lineHeight) / 2 + 5;
    return [
      rect(one, colors.box, ''),
      text(middle, first, title, color, ' text-anchor="middle" font-weight="600"'),
      ...lines.map((line, at) =>
        text(middle, first + (at + 1) * lineHeight, line, 'faint', ' text-anchor="middle" font-size="12"'),
      ),
    ];
  };
  const arrow = ({ points, label }: Arrow): string[] => [
    `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${colors.accent}" stroke-width="1.5" marker-end="url(#head)"/>`,
    ...(label === undefined ? [] : [text(label.x, label.y, label.text, 'accent', ' font-size="12"')]),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapedText(title)}</title>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="${colors.accent}"/></marker></defs>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colors.background}" stroke="${colors.frame}"/>
<g font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif" font-size="14">
${[...areas.flatMap(area), ...arrows.flatMap(arrow), ...boxes.flatMap(box)].join('\n')}
</g>
</svg>
`;
}
