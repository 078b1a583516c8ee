import type fc from 'fast-check';

/** One operation of a model test: what it does to both, and what is compared after it. */
export class Step<Model extends object, Real> implements fc.AsyncCommand<Model, Real> {
  private readonly name: string;
  private readonly act: (model: Model, real: Real) => Promise<void> | void;
  private readonly compare: (model: Model, real: Real) => Promise<void> | void;

  constructor(name: string, act: Step<Model, Real>['act'], compare: Step<Model, Real>['compare']) {
    this.name = name;
    this.act = act;
    this.compare = compare;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await this.compare(model, real);
  }

  toString(): string {
    return this.name;
  }
}
