import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours text for stdout where that is a terminal that wants it; NO_COLOR is respected. */
export function paint(style: Style, text: string): string {
  const wanted = process.stdout.isTTY && process.stdout.hasColors();
  return wanted ? styleText(style, text) : text;
}
