import { styleText } from 'node:util';
import { stdout } from '../src/platform/process/print.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours text if stdout is a terminal with colours. Respects NO_COLOR. */
export function paint(style: Style, text: string): string {
  const wanted = stdout.isTTY && stdout.hasColors();
  return wanted ? styleText(style, text) : text;
}
