import { Gate } from '../gate.ts';
import type { Gatekeeper, Guard, IsDoomed } from '../gatekeeper.ts';
import type { Step, StepModel } from '../step.ts';
import type { Connection } from './connection.ts';

/**
 * The gates of one session in one schedule: one gate for each connection. All connections together
 * make the steps of one session, one step after the other. If the program uses several connections
 * at the same time, their steps wait in a line.
 */
export class Gates implements Guard {
  readonly canFail = false;
  readonly #keeper: Gatekeeper;
  readonly #model: StepModel;
  readonly #isDoomed: IsDoomed | undefined;
  readonly #gates = new Map<Connection, Gate>();
  readonly #line: { connection: Connection; begin(): void }[] = [];
  #last: Connection | undefined;
  #turn: Connection | undefined;
  /** The connection whose step runs beside the step of `#turn`. */
  #beside: Connection | undefined;
  #isDead = false;

  constructor(keeper: Gatekeeper, model: StepModel, isDoomed?: IsDoomed) {
    this.#keeper = keeper;
    this.#model = model;
    this.#isDoomed = isDoomed;
  }

  /** The connection that makes a step now. */
  get turn(): Connection | undefined {
    return this.#turn;
  }

  /** The connection of the step that runs, or that ran last. */
  get last(): Connection | undefined {
    return this.#last;
  }

  /**
   * Whether the process of the session counts as dead. Its program still runs, but its statements
   * no longer reach PostgreSQL.
   */
  get isDead(): boolean {
    return this.#isDead;
  }

  of(connection: Connection): Gate {
    const known = this.#gates.get(connection);
    if (known) return known;
    const keeper = this.#takingTurns(connection);
    const isDoomed = this.#isDoomed;
    const ask = isDoomed && (() => isDoomed(connection.pid));
    const gate = new Gate(connection.backend, keeper, this.#model, ask);
    this.#gates.set(connection, gate);
    return gate;
  }

  #takingTurns(connection: Connection): Gatekeeper {
    const keeper = this.#keeper;
    let running: Step | undefined;
    return {
      // A program in another process gets the error of each statement.
      hasEnded: false,
      dead: () => this.#died(connection),
      waitsInLine: () => keeper.waitsInLine(),
      refuse: (error) => keeper.refuse(error),
      leaveBeside: (result, step) => keeper.leaveBeside(result, step),
      arrive: async (step) => {
        running = step;
        if (this.#turn) {
          const turn = new Promise<void>((begin) => this.#line.push({ connection, begin }));
          keeper.waitsInLine();
          await turn;
        }
        if (this.#beside === connection) return 'runs';
        this.#turn = this.#last = connection;
        return keeper.arrive(step);
      },
      leave: (result, step = running) => {
        if (this.#beside === connection && step) {
          this.#beside = undefined;
          return keeper.leaveBeside(result, step);
        }
        keeper.leave(result, step);
        if (this.#turn !== connection) return;
        this.#turn = undefined;
        this.#line.shift()?.begin();
      },
    };
  }

  /**
   * Lets the next waiting step run beside the step of `#turn`. Otherwise a session could wait
   * forever for a COMMIT on its own other connection.
   */
  goBeside(): boolean {
    const next = this.#beside ? undefined : this.#line.shift();
    this.#beside ??= next?.connection;
    next?.begin();
    return next !== undefined;
  }

  #alive(): Gate[] {
    return [...this.#gates].filter(([{ backend }]) => backend.isAlive()).map(([, gate]) => gate);
  }

  get holdsSomething(): boolean {
    return this.#alive().some((gate) => gate.holdsSomething);
  }

  get isBetweenHalves(): boolean {
    return this.#alive().some((gate) => gate.isBetweenHalves);
  }

  async die() {
    this.#isDead = true;
    const dying = this.#alive();
    if (dying.length === 0) this.#keeper.dead();
    await Promise.all(dying.map((gate) => gate.die()));
  }

  /** The session is dead when PostgreSQL has ended the transactions of all its connections. */
  #died(connection: Connection) {
    this.#gates.delete(connection);
    if (this.#alive().length === 0) this.#keeper.dead();
  }
}
