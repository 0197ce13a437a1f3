import { Page } from "../../kit/page.tsx";

/** What runs, and what waits for someone. */
export default function Overview() {
  return <Page title="Overview">{null}</Page>;
}
