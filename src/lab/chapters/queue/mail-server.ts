import type { Proof } from './strategy.ts';

/** A mail that a worker tried to send. */
export interface Mail {
  taskId: number;
  /** Whether the server accepted the mail. */
  isAccepted: boolean;
  /** Whether the sender did not hold the task any more. */
  isLate: boolean;
}

/** The mail server, which is outside the database. No rollback takes an accepted mail back. */
export class MailServer {
  readonly mails: Mail[] = [];
  readonly #ids = new Set<number>();
  readonly #tokens = new Map<number, number>();

  /** Records a mail whose sender died before the server had the whole mail. */
  miss(taskId: number): string {
    this.mails.push({ taskId, isAccepted: false, isLate: false });
    return 'the worker dies of it';
  }

  /**
   * Receives a mail, and returns the answer for the transcript. The sender does not read the
   * answer. `late` says why the sender does not hold the task any more, and is undefined if the
   * sender holds the task.
   */
  take(taskId: number, { id, token }: Proof, late: string | undefined): string {
    const isRepeat = id !== undefined && this.#ids.has(id);
    const isOld = token !== undefined && token < (this.#tokens.get(taskId) ?? 0);
    const isAccepted = !isRepeat && !isOld;
    if (id !== undefined) this.#ids.add(id);
    if (token !== undefined && isAccepted) this.#tokens.set(taskId, token);
    // A mail with an id is never late: the server drops repeats, so the worker needs no lease.
    this.mails.push({ taskId, isAccepted, isLate: late !== undefined && id === undefined });
    if (isRepeat) return 'dropped: a repeat';
    if (isOld) return 'refused: an old token';
    const accepted = this.mails.filter((mail) => mail.taskId === taskId && mail.isAccepted).length;
    const again = accepted > 1 ? `: mail ${accepted} of task ${taskId}` : '';
    return `accepted${again}${late === undefined ? '' : `, from a worker without the lease: ${late}`}`;
  }
}
