import { useLocation } from "preact-iso";
import { at } from "../address.ts";
import { GROUPS, SCREENS } from "../routes.ts";
import { may } from "../session/session.ts";

/** The screens of the shop by group; what the person may not read is not offered. */
export function Navigation({ id }: { id: string }) {
  const { path } = useLocation();
  const offered = SCREENS.filter((screen) => screen.group !== undefined && may(screen.scope));
  const isCurrent = (address: string, isHome: boolean) =>
    path === address || (!isHome && path.startsWith(`${address}/`));
  return (
    <nav id={id} class="navigation" aria-label="Screens">
      {GROUPS.map((group) => {
        const screens = offered.filter((screen) => screen.group === group);
        if (!screens.length) return null;
        return (
          <section key={group}>
            {group && <h2>{group}</h2>}
            <ul>
              {screens.map((screen) => {
                const address = at(screen.path);
                return (
                  <li key={screen.path}>
                    <a href={address} aria-current={isCurrent(address, screen.path === "") ? "page" : undefined}>
                      {screen.title}
                    </a>
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}
