/**
 * The tools, the prompts or the skills of all servers. Which of them are available may change: a tool is not if it writes while the
 * client is read-only, or if the service lacks its operation.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { word } from '../base/quote.ts';

type Kind = 'Tool' | 'Prompt' | 'Skill';

export class FeatureList<Feature extends { readonly name: string }> {
  readonly #kind: Kind;
  readonly #byName: ReadonlyMap<string, Feature>;
  readonly #isAvailable: (feature: Feature) => boolean;

  constructor(kind: Kind, features: readonly Feature[], isAvailable: (feature: Feature) => boolean) {
    this.#kind = kind;
    this.#byName = new Map(features.map((feature) => [feature.name, feature]));
    this.#isAvailable = isAvailable;
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Those that are available now. */
  get available(): Feature[] {
    return [...this.#byName.values()].filter(this.#isAvailable);
  }

  /** Whether there is one of this name that is available now. */
  has(name: string): boolean {
    const feature = this.#byName.get(name);
    return feature !== undefined && this.#isAvailable(feature);
  }

  /** Throws a `ProtocolError` if there is none of this name, or if it is not available now, or not offered. */
  get(name: string, isOffered: (feature: Feature) => boolean = () => true): Feature {
    const feature = this.#byName.get(name);
    if (feature && this.#isAvailable(feature) && isOffered(feature)) return feature;
    const problem = feature ? 'disabled' : 'not found';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${this.#kind} ${word(name)} ${problem}`);
  }

  /** Returns a function that returns whether others are available than at its last call. */
  watch(): () => boolean {
    const names = () => this.available.map(({ name }) => name).join();
    let before = names();
    return () => {
      const now = names();
      const hasChanged = now !== before;
      before = now;
      return hasChanged;
    };
  }
}
