import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours text if stdout is a terminal with colours. Respects NO_COLOR. */
export function paint(style: Style, text: string): string {
  const wanted = process.stdout.isTTY && process.stdout.hasColors();
  return wanted ? styleText(style, text) : text;
}
