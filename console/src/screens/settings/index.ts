import type { Screen } from "../../routes.ts";

const READ = "settings:read";

export const screens: Screen[] = [
  {
    path: "/settings",
    title: "Settings",
    words: "currency, domain, hosts, consent",
    group: "Shop",
    scope: "shop:read",
    needs: "/shop/defaults",
    load: () => import("./shop.tsx"),
  },
  {
    path: "/settings/domains",
    title: "Hosts",
    scope: READ,
    needs: "/settings/install-domains",
    load: () => import("./domains.tsx"),
  },
  {
    path: "/settings/environments",
    title: "Environments",
    scope: READ,
    needs: "/settings/environments",
    load: () => import("./environments.tsx"),
  },
  {
    path: "/settings/consent",
    title: "Consent",
    scope: READ,
    needs: "/settings/consent",
    load: () => import("./consent.tsx"),
  },
  {
    path: "/settings/tracking",
    title: "Tracking",
    scope: READ,
    needs: "/settings/external-tracking",
    load: () => import("./tracking.tsx"),
  },
  {
    path: "/settings/publication",
    title: "Publication",
    scope: READ,
    needs: "/settings/publish",
    load: () => import("./publication.tsx"),
  },
  {
    path: "/settings/triggers",
    title: "Data layer",
    scope: READ,
    needs: "/settings/data-layer-triggers",
    load: () => import("./triggers.tsx"),
  },
  {
    path: "/settings/triggers/:trigger_id",
    title: "Trigger",
    scope: READ,
    needs: "/settings/data-layer-triggers",
    load: () => import("./trigger.tsx"),
  },
];
