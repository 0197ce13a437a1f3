import { Person } from "../../kit/people.tsx";

/** The id under which the service itself changes things. */
export const SERVICE = "00000000-0000-7000-8000-000000000001";

/** Who made a change: a person, or the service itself. */
export function Who({ id }: { id: string }) {
  return id === SERVICE ? <>the service</> : <Person id={id} />;
}
