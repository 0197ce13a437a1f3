import type { Schemas } from "../../api/client.ts";
import type { PageDefinition } from "../../kit/rules/words.ts";

export type ShopPage = Schemas["Page"];

/** Return the part of a page that its rules make up. */
export function definitionOf(page: ShopPage): PageDefinition {
  const { includeRules, excludeRules, trigger, advancedCondition } = page;
  return { includeRules, excludeRules, trigger, advancedCondition };
}

/** Return a definition as the body of a page has it. */
export function bodyOf({ includeRules = [], excludeRules = [], trigger, advancedCondition }: PageDefinition) {
  return {
    includeRules,
    excludeRules,
    trigger: trigger && trigger.type !== "immediate" ? trigger : null,
    advancedCondition: advancedCondition ?? null,
  };
}
