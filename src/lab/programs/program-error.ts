import { PlainError } from '../../process/errors.ts';

/** The program gave no answer, or an answer that no rule explains. A transcript shows the name. */
export class ProgramError extends PlainError {
  constructor(name: 'no answer' | `answered ${number}`, message: string) {
    super(message);
    this.name = name;
  }
}
