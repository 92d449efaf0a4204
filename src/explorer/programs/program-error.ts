import { PlainError } from '../../platform/process/errors.ts';

/**
 * The error if a program gives no answer, or an answer that no rule explains. A transcript shows
 * the name of the error.
 */
export class ProgramError extends PlainError {
  constructor(name: 'no answer' | `answered ${number}`, message: string) {
    super(message);
    this.name = name;
  }
}
