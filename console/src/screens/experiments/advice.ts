import type { Schemas } from "../../api/client.ts";

export type Finding = Schemas["GuardianFinding"];

interface Advice {
  title: string;
  /** What to do, one step a sentence. */
  steps: readonly string[];
}

/** What each kind of finding means, and what to do about it. */
export const ADVICE: Record<Finding["kind"], Advice> = {
  broken_delivery: {
    title: "A variation does not reach its visitors",
    steps: [
      "Open a preview of the variation and look for errors.",
      "Check that its selectors still match the page.",
      "After the repair, restart the test: visitors were lost on one side only.",
    ],
  },
  broken_runtime: {
    title: "A variation causes errors in the browser",
    steps: ["Open a preview with the browser's console.", "Repair the code of the variation, or pause the test."],
  },
  broken_conversion: {
    title: "A goal has nearly stopped in a variation",
    steps: [
      "Try the goal yourself in a preview: is the button still there, and does it work?",
      "Check that the event is still sent.",
    ],
  },
  delivery_drift: {
    title: "Many sessions do not get their variation",
    steps: ["Check pages and triggers under Targeting.", "Look for a page that loads the snippet late, or not at all."],
  },
  conversion_harm: {
    title: "A goal gets worse",
    steps: ["Read the results of this goal.", "Complete the test as lost, unless you have a reason to go on."],
  },
  revenue_harm: {
    title: "Visitors bring less money",
    steps: ["Read revenue in the results.", "Complete the test as lost, unless you have a reason to go on."],
  },
  revenue_loss: {
    title: "The test has cost the amount that you set",
    steps: ["Complete the test, or raise the amount if the loss is worth what you learn."],
  },
  sample_ratio_mismatch: {
    title: "Visitors are not split as the weights say",
    steps: [
      "Do not trust the results: the variations have different visitors.",
      "Look for redirects, slow scripts or filters that affect one variation only.",
      "After the repair, restart the test.",
    ],
  },
  multiple_exposure: {
    title: "Visitors saw more than one variation",
    steps: ["Check that the shop keeps cookies between its hosts.", "These visitors are left out of the results."],
  },
  event_gap: {
    title: "Events are missing",
    steps: ["Check the installation on the pages of the test.", "Compare with the orders in your shop."],
  },
  duplicate_orders: {
    title: "Orders are reported more than once",
    steps: ["Send one order id for one order.", "Repeated ids count once; orders without an id do not."],
  },
  currency_residue: {
    title: "Orders in other currencies are left out",
    steps: ["Send the amount in the shop's currency, too.", "Revenue has no verdict until then."],
  },
  measurement_coverage: {
    title: "Part of the visitors is not measured",
    steps: ["Check consent, and that orders name a visitor who was seen before."],
  },
};

export const ACTIONS: Record<Finding["action"], string> = {
  alert: "Reported",
  pause: "Paused the test",
  pause_suppressed: "Reported; your settings do not let it pause",
  pause_failed: "Tried to pause the test, and tries again",
};
